// Lines on a canvas, for pictures with thousands of them: as elements of an SVG each would be painted in every frame.

import { unit } from "../screen.js";
import { isNew, listed } from "./picture.js";

export class Strokes {
  // The ink of a line that names no colour is that of the canvas.
  constructor(canvas, name) {
    Object.assign(this, { canvas, name, ground: document.createElement("canvas") });
    this.clear();
  }

  clear() {
    Object.assign(this, { scene: null, marks: () => [] });
    this.canvas.width = 0;
  }

  // Draw lines along `runs`, each in one of a few shades, the widest on top. `shades[k]` is the shade of line k, and
  // `styles` has the stroke and the width of every shade, rising in width; `marks()` are the same lines as marks.
  draw(runs, shades, styles, marks, size) {
    this.marks = marks;
    this.lay(runs, styles[0], size);
    const { canvas, ground, paths, ratio } = this;
    Object.assign(canvas, { width: ground.width, height: ground.height });
    const context = canvas.getContext("2d");
    context.drawImage(ground, 0, 0);
    context.scale(ratio, ratio);
    styles.slice(1).forEach((style, k) => {
      const inShade = paths.filter((_, line) => shades[line] === k + 1);
      this.stroke(context, inShade, style);
    });
  }

  // Most lines are in the first shade. The ground has all of them in it, and is kept: others cover it.
  lay(runs, style, [width, height]) {
    const { canvas, ground } = this;
    const ratio = globalThis.devicePixelRatio * unit();
    const ink = style.stroke ?? getComputedStyle(canvas).color;
    if (!isNew(this, [runs, ink, width * ratio, height * ratio])) return;
    Object.assign(this, { ratio, paths: runs.map(({ d }) => new Path2D(d)) });
    Object.assign(ground, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = ground.getContext("2d");
    context.scale(ratio, ratio);
    this.stroke(context, this.paths, { ...style, stroke: ink });
  }

  stroke(context, paths, style) {
    context.strokeStyle = style.stroke;
    context.lineWidth = style["stroke-width"];
    for (const path of paths) context.stroke(path);
  }

  list() {
    return listed(this.name, this.marks());
  }
}
