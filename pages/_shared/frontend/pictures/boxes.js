// Backgrounds and frames of the page's boxes as shapes.

import { make } from "../svg.js";
import { colourOf } from "./colours.js";

const SIDES = ["Top", "Right", "Bottom", "Left"];

const filled = (parent, name, geometry, { colour, alpha }) =>
  make(parent, name, { ...geometry, fill: colour, ...(alpha < 1 && { "fill-opacity": alpha }) });

// The colours of a gradient from left to right, evenly spread.
const gradient = (defs, id, text) => {
  const element = make(defs, "linearGradient", { id });
  const colours = text.match(/rgba?\([^)]*\)/g);
  colours.forEach((each, k) => make(element, "stop", { offset: k / (colours.length - 1), "stop-color": each }));
  return { colour: `url(#${id})`, alpha: 1 };
};

// A box as large as before it was turned, around its middle.
const turned = (element, { x, y, width, height }, style) => {
  if (style.transform === "none") return [{ x, y, width, height }, {}];
  const [w, h] = [element.offsetWidth, element.offsetHeight];
  const [a, b, c, d] = style.transform.match(/-?[\d.]+(?:e-?\d+)?/g);
  const transform = `matrix(${a} ${b} ${c} ${d} ${x + width / 2} ${y + height / 2})`;
  return [{ x: -w / 2, y: -h / 2, width: w, height: h }, { transform }];
};

// The corners of a box that is clipped to a polygon.
const cornersOf = (text, { x, y, width, height }) =>
  [...text.matchAll(/(-?[\d.]+)(?:%|px) (-?[\d.]+)(?:%|px)/g)]
    .map(([, across, down]) => `${x + (width * across) / 100},${y + (height * down) / 100}`)
    .join(" ");

// The background, then the frame: all around, or only some sides of it. Returns whether there is any of them.
export const drawBox = (parent, defs, element, box, style) => {
  const before = parent.childElementCount;
  const [inner, transform] = turned(element, box, style);
  const image = style.backgroundImage;
  const ground = image.startsWith("linear")
    ? gradient(defs, `gradient-${defs.childElementCount}`, image)
    : colourOf(style.backgroundColor);
  const round = parseFloat(style.borderTopLeftRadius);
  const most = Math.min(inner.width, inner.height) / 2;
  const rx = style.borderTopLeftRadius.endsWith("%") ? Math.min((most * round) / 50, most) : Math.min(round, most);
  if (ground.alpha && style.clipPath.startsWith("polygon"))
    filled(parent, "polygon", { points: cornersOf(style.clipPath, inner), ...transform }, ground);
  else if (ground.alpha) filled(parent, "rect", { ...inner, rx, ...transform }, ground);
  drawFrame(parent, inner, rx, transform, style);
  return parent.childElementCount > before;
};

const drawFrame = (parent, { x, y, width, height }, rx, transform, style) => {
  const sides = SIDES.map((side) => ({
    wide: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
    ...colourOf(style[`border${side}Color`]),
  }));
  const [top, right, bottom, left] = sides.map(({ wide }) => wide);
  if (sides.every(({ wide, colour }) => wide && wide === top && colour === sides[0].colour)) {
    const inset = { x: x + top / 2, y: y + top / 2, width: width - top, height: height - top };
    const [{ colour, alpha }] = sides;
    const look = { fill: "none", stroke: colour, "stroke-opacity": alpha, "stroke-width": top };
    make(parent, "rect", { ...inset, rx: Math.max(rx - top / 2, 0), ...look, ...transform });
    return;
  }
  const places = [
    { x, y, width, height: top },
    { x: x + width - right, y, width: right, height },
    { x, y: y + height - bottom, width, height: bottom },
    { x, y, width: left, height },
  ];
  sides.forEach((side, k) => side.wide && side.alpha && filled(parent, "rect", places[k], side));
};
