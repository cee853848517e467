// Lines across a chart at the ticks of its axis, and beside them what these are. `y`: the height of a tick.

export const levelMarks = (ticks, { left, right }, y = (height) => height, named = true) =>
  ticks.flatMap(([at, text], k) => [
    { id: `grid ${k}`, class: "grid", x1: left, x2: right, y1: y(at), y2: y(at) },
    named && { id: `level ${k}`, class: "soft", x: left - 6, y: y(at) + 5, "text-anchor": "end", text },
  ]);
