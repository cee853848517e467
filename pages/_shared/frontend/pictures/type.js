// Texts of the page as it has laid them out: line by line, each with its place.

const context = new OffscreenCanvas(1, 1).getContext("2d");
const range = document.createRange();
const heights = new Map();
const DOTS = "…";

const fontOf = ({ fontStyle, fontWeight, fontSize, fontFamily }) =>
  `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;

// How far a font rises above the line on which it stands, and how far it goes below.
const heightsOf = (font) => {
  if (!heights.has(font)) {
    context.font = font;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText(DOTS);
    heights.set(font, { up, down });
  }
  return heights.get(font);
};

const boxOf = (node, from, to) => {
  range.setStart(node, from);
  range.setEnd(node, to);
  const [first] = range.getClientRects();
  return first;
};

// The words of a text node, each where it is.
const wordsOf = (node) =>
  [...node.data.matchAll(/\S+/g)]
    .map(({ 0: text, index }) => ({
      from: index,
      to: index + text.length,
      box: boxOf(node, index, index + text.length),
    }))
    .filter(({ box }) => box?.width);

// A line of a text, cut where its room ends, as the page cuts it.
const cutTo = (node, { from, to, box }, right, font) => {
  context.font = font;
  const room = right - context.measureText(DOTS).width;
  let end = to;
  while (end > from && boxOf(node, from, end).right > room) end -= 1;
  const kept = boxOf(node, from, Math.max(end, from + 1));
  const width = Math.min(kept.width, room - box.left) + context.measureText(DOTS).width;
  return { text: node.data.slice(from, end) + DOTS, left: box.left, width };
};

// Texts that have room for some lines only.
const LIMITED = ".sentence, .verdict";

// Where the text of an element ends, if it is longer than its room: the edges of its box; else null.
const roomOf = (element) => {
  const box = element.closest(LIMITED);
  return box && box.scrollHeight > box.clientHeight + 1 ? box.getBoundingClientRect() : null;
};

// The lines of a text node: text, left end, width, and the height at which it stands.
export const linesOf = (node, style) => {
  const font = fontOf(style);
  const { up, down } = heightsOf(font);
  const room = roomOf(node.parentElement);
  const lines = Object.values(Object.groupBy(wordsOf(node), ({ box }) => Math.round(box.top)));
  const shown = lines.filter(([{ box }]) => !room || box.top + box.height / 2 < room.bottom);
  const right = style.textOverflow === "ellipsis" && node.parentElement.getBoundingClientRect().right;
  return shown.map((line, k) => {
    const { from, box } = line[0];
    const last = line.at(-1);
    const base = box.top + (box.height - up - down) / 2 + up;
    if (right && last.box.right > right + 1) return { ...cutTo(node, { from, to: last.to, box }, right, font), base };
    const goesOn = k === shown.length - 1 && shown.length < lines.length;
    if (goesOn) return { ...cutTo(node, { from, to: last.to, box }, room.right, font), base };
    const text = node.data.slice(from, last.to).replace(/\s+/g, " ");
    return { text, left: box.left, width: last.box.right - box.left, base };
  });
};
