// The line of an edge between two circles: its ends, and the point in between that bends it.

const CLEAR = 26; // least distance in pixels from a line to another circle
const BY = 34; // distance in pixels at which a bent line passes

export const straight = (at, p, q) => [at[p], [(at[p][0] + at[q][0]) / 2, (at[p][1] + at[q][1]) / 2], at[q]];

const written = (point) => point.map((v) => v.toFixed(1)).join(" ");

// Bent just enough to pass by other circles in its way.
export const bow = (at, p, q, width) => {
  const [[x0, y0], [x1, y1]] = [at[p], at[q]];
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [nx, ny] = [-(y1 - y0) / length, (x1 - x0) / length];
  let bend = 0;
  at.forEach(([x, y], k) => {
    if (k === p || k === q) return;
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length ** 2;
    const off = (x - x0) * nx + (y - y0) * ny;
    if (along <= 0.05 || along >= 0.95 || Math.abs(off) >= CLEAR) return;
    const needed = (off > 0 ? off - BY : off + BY) / (2 * along * (1 - along));
    if (Math.abs(needed) > Math.abs(bend)) bend = needed;
  });
  bend = Math.max(-0.5 * length, Math.min(0.5 * length, bend));
  const outside = (b) => Math.abs((x0 + x1) / 2 + (nx * b) / 2 - width / 2) > width / 2 - 6;
  if (outside(bend) && !outside(-bend)) bend = -bend;
  return [at[p], [(x0 + x1) / 2 + nx * bend, (y0 + y1) / 2 + ny * bend], at[q]];
};

export const pathOf = (points) => {
  const [from, by, to] = points.map(written);
  return `M${from}Q${by} ${to}`;
};

// A straight one is drawn many times as fast as one that could be bent.
export const straightPathOf = ([from, , to]) => `M${written(from)}L${written(to)}`;
