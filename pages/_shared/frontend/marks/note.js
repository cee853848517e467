// Lines of text in the middle of an empty picture, raised by `lift` pixels.

import { measured } from "../screen.js";
import { make } from "../svg.js";

const APART = 22;

export const note = (svg, lines, lift = 0) => {
  const { width, height } = measured(svg);
  lines.forEach((line, k) => {
    const place = { x: width / 2, y: height / 2 - lift + APART * k, "text-anchor": "middle" };
    make(svg, "text", { class: "soft", ...place }, line);
  });
};
