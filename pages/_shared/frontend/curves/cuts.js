// Marks where lines leave the range of energies: triangles at the edge of the frame, beyond which they go on.

const APART = 9; // pixels between two of them, of any lines: more could not be told apart
const SIZE = 4; // pixels, of half a triangle

// Where a line of points in pixels crosses a height, and at its ends if it is beyond it all along.
const crossings = (points, edge, isBeyond) => {
  const found = [];
  points.forEach(([x, y], k) => {
    const [before, height] = k ? points[k - 1] : [x, y];
    if (k && isBeyond(y) !== isBeyond(height)) found.push(before + ((x - before) * (edge - height)) / (y - height));
  });
  return found.length || !points.length || !isBeyond(points[0][1]) ? found : [points[0][0], points.at(-1)[0]];
};

const triangle = (id, run, x, edge, way) => ({
  ...{ id, class: "cut", fill: run.colour, "data-run": run.key },
  d: `M${x - SIZE} ${edge - way * SIZE}L${x + SIZE} ${edge - way * SIZE}L${x} ${edge + way * SIZE}Z`,
});

// The marks of `lines`, whose points are in units of the axes.
export const cutsOf = (lines, { x, y, box }) => {
  const found = [];
  const sides = [
    ["lower", box.bottom, 1],
    ["upper", box.top, -1],
  ];
  for (const [what, edge, way] of sides) {
    const taken = [];
    for (const { run, points } of lines) {
      const drawn = points.filter((point) => point[what] !== null).map((point) => [x(point.x), y(point[what])]);
      for (const at of crossings(drawn, edge, (height) => way * (height - edge) > 0)) {
        const isFree = at >= box.left && at <= box.right && taken.every((other) => Math.abs(other - at) >= APART);
        if (!isFree) continue;
        taken.push(at);
        found.push(triangle(`cut ${what} ${run.key} ${taken.length}`, run, at, edge - way * SIZE, way));
      }
    }
  }
  return found;
};
