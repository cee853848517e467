// The places of the groups' names: beside their circles, no nearer to another circle, and without covering names or
// circles.

import { short } from "../../text.js";

const LONGEST = 24; // characters of a name; the tip has all of it
const LINE = 15; // pixels between lines of a name
const LETTER = 7.4; // pixels that a letter takes, about
const NARROW = 400; // pixels of width below which names take two lines
const MORE = 13; // characters of a line below a name
const GAP = 4; // pixels between a circle and a name beside it

const linesOf = (label, width) => {
  const cut = short(label, LONGEST);
  return width < NARROW ? cut.split(/ (?=\S+$)/) : [cut];
};

// The sides of a circle in the order in which they are tried: below, above, right, left. Corners of the name's box.
const sides = ([x, y], radius, wide, high, width) => {
  const left = Math.min(Math.max(x - wide / 2, 0), Math.max(width - wide, 0));
  return [
    [left, y + radius + 2],
    [left, y - radius - high - 2],
    [x + radius + GAP, y - high / 2],
    [x - radius - GAP - wide, y - high / 2],
  ].map(([a, b]) => [a, b, a + wide, b + high]);
};

// Whether the middle of a box is nearer to a circle than to the others.
const isNearest = ([a, b, c, d], at, p) => {
  const far = at.map(([x, y]) => Math.hypot(x - (a + c) / 2, y - (b + d) / 2));
  return far.every((distance) => distance >= far[p]);
};

// Whether two boxes (left, top, right, bottom) overlap. It is asked thousands of times a frame, so nothing is unpacked.
export const meets = (a, b) => a[2] > b[0] && a[0] < b[2] && a[3] > b[1] && a[1] < b[3];

// Of every group in sight: its lines, and the box they fill; `fits` unless it would cover something, as where circles
// are crowded. There is room for some `extra` lines.
export const placeNames = (nodes, { at, radius, crowded, size: [width, height], solution }, extra, isSeen) => {
  const circles = at.map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
  const put = [...solution.boxes];
  return nodes.map(({ label }, p) => {
    if (!isSeen(p)) return null;
    const lines = linesOf(label, width);
    const [longest, count] = [Math.max(...lines.map(({ length }) => length)), lines.length + extra];
    const [wide, high] = [LETTER * (extra ? Math.max(longest, MORE) : longest), LINE * count];
    const places = sides(at[p], radius, wide, high, width);
    const inside = ([a, b, c, d]) => a >= 0 && b >= 0 && c <= width && d <= height;
    const isFree = (box) =>
      inside(box) &&
      !put.some((other) => meets(box, other)) &&
      !circles.some((c, q) => q !== p && meets(box, c)) &&
      isNearest(box, at, p);
    const found = crowded ? undefined : places.find(isFree);
    if (found) put.push(found);
    return { lines, box: found ?? places[0], fits: Boolean(found) };
  });
};

export const nameMarks = (p, name, isActive, more = []) => {
  if (!name) return [];
  const [left, top, right] = name.box;
  return [...name.lines, ...more].map((text, k) => ({
    id: `name-${p}-${k}`,
    class: isActive && k < name.lines.length ? "node-name active" : "node-name",
    ...{ x: (left + right) / 2, y: top + LINE * (k + 1) - 3, text },
  }));
};
