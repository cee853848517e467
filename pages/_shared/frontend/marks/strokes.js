// Lines on a canvas, for pictures with thousands of them: as elements of an SVG each would be painted in every frame.

import { unit } from "../screen.js";
import { listed } from "./picture.js";

export class Strokes {
  // The ink of a line that names no colour is that of the canvas.
  constructor(canvas, name) {
    Object.assign(this, { canvas, name, marks: [], paths: new Map() });
  }

  // Draw exactly these marks, the widest on top: marks of a picture, with a path `d`, a `stroke` and its width.
  draw(marks, [width, height]) {
    const { canvas } = this;
    const paths = new Map();
    this.marks = marks;
    const ratio = globalThis.devicePixelRatio * unit();
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const [context, ink] = [canvas.getContext("2d"), getComputedStyle(canvas).color];
    context.scale(ratio, ratio);
    for (const { d, ...style } of marks.toSorted((a, b) => a["stroke-width"] - b["stroke-width"])) {
      const path = this.paths.get(d) ?? new Path2D(d);
      paths.set(d, path);
      context.strokeStyle = style.stroke ?? ink;
      context.lineWidth = style["stroke-width"];
      context.stroke(path);
    }
    this.paths = paths;
  }

  list() {
    return listed(this.name, this.marks);
  }
}
