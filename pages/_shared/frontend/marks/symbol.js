// The symbol of a run: the paper's o and x, a square and a diamond.

const SHAPES = {
  circle: (x, y, s) => ({ cx: x, cy: y, r: s }),
  x: (x, y, s) => ({ d: `M${x - s} ${y - s}L${x + s} ${y + s}M${x - s} ${y + s}L${x + s} ${y - s}` }),
  square: (x, y, s) => ({ x: x - s, y: y - s, width: 2 * s, height: 2 * s }),
  diamond: (x, y, s) => {
    const r = s * 1.3;
    return { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` };
  },
};

export const symbol = (id, kind, x, y, size, colour) => ({
  ...{ id, class: "mark", stroke: colour },
  ...SHAPES[kind](x, y, size / 2),
});
