// Lines cut at the edges of a box: what lies outside is not drawn, and never moved to the edge.

const at = (v) => v.toFixed(1);

// The part of a segment within a box, as two points; null if there is none.
const within = ([x0, y0], [x1, y1], { left, right, top, bottom }) => {
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [
    [x0, x1 - x0, left, right],
    [y0, y1 - y0, top, bottom],
  ]) {
    if (way === 0) {
      if (start < low || start > high) return null;
      continue;
    }
    const ends = [(low - start) / way, (high - start) / way].sort((a, b) => a - b);
    from = Math.max(from, ends[0]);
    to = Math.min(to, ends[1]);
  }
  if (from > to) return null;
  return [from, to].map((t) => [x0 + t * (x1 - x0), y0 + t * (y1 - y0)]);
};

// A line through points, as the data of a path.
export const clipped = (points, box) => {
  let [data, end] = ["", null];
  points.slice(1).forEach((point, k) => {
    const piece = within(points[k], point, box);
    if (!piece) return;
    const [from, to] = piece;
    if (!end || at(end[0]) !== at(from[0]) || at(end[1]) !== at(from[1])) data += `M${at(from[0])} ${at(from[1])}`;
    data += `L${at(to[0])} ${at(to[1])}`;
    end = to;
  });
  return data;
};

// The corners of a curve that keeps a value until the next.
export const stairs = (points) =>
  points.flatMap(([x, y], k) =>
    k && points[k - 1][1] !== y
      ? [
          [x, points[k - 1][1]],
          [x, y],
        ]
      : [[x, y]],
  );

// A bar between two heights, as far as it is in the box; null if it is not.
export const bar = (x, width, high, low, { top, bottom }) => {
  const [from, to] = [Math.max(high, top), Math.min(low, bottom)];
  return to > from ? { x, width, y: from, height: to - from } : null;
};
