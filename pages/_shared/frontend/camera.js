// The visible part of the hyper-graph, and its scale: by wheel, pinch, drag, buttons and keys.

import { clamp } from "./numbers.js";
import { follow, pinched } from "./pressing.js";
import { placeIn } from "./screen.js";

const STEP = 1.3; // by how much a step of the wheel, a key or a button enlarges
export const FARTHEST = 16; // times the whole, at most
const KEYS = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 0 }; // = is the key of + without shift

export class Camera {
  // `pane` has its `svg`, its `size`, `moved()`, and `sight()`: the place in the whole that is looked at more closely.
  constructor(pane) {
    Object.assign(this, { pane, scale: 1, corner: [0, 0] });
    const { svg } = pane;
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("dblclick", (event) => event.target === svg && this.show(1, [0, 0]));
    svg.addEventListener("pointerdown", (event) => this.drag(event));
    this.isPinched = pinched(svg, (factor, middle) => this.by(factor, this.place(middle)));
  }

  // Where a place of the whole is seen, and the reverse.
  see(at) {
    return at.map((value, k) => this.scale * value + this.corner[k]);
  }

  whole(seen) {
    return seen.map((value, k) => (value - this.corner[k]) / this.scale);
  }

  // The pane has another size: the same part stays in sight. Before it has any, the corner is in shares of it.
  refit(before, now) {
    this.corner = this.corner.map((value, k) => (value * now[k]) / (before[k] || 1));
  }

  shares(size) {
    return this.corner.map((value, k) => value / (size[k] || 1));
  }

  // Nothing beside the whole is ever in sight.
  show(scale, corner) {
    this.scale = clamp(scale, 1, FARTHEST);
    this.corner = corner.map((value, k) => clamp(value, this.pane.size[k] * (1 - this.scale), 0));
    this.pane.moved();
  }

  // Enlarge around a place, which stays where it is.
  by(factor, around) {
    this.enlarge(factor, this.whole(around), around);
  }

  // Enlarge so that a place of the whole is seen at some place.
  enlarge(factor, place, seen) {
    const scale = clamp(this.scale * factor, 1, FARTHEST);
    this.show(
      scale,
      seen.map((value, k) => value - scale * place[k]),
    );
  }

  // Returns whether the key is one of these. By 0: show the whole.
  press({ key }) {
    const factor = KEYS[key];
    if (factor === undefined) return false;
    if (!this.pane.size[0]) return true; // only the variables were in view: there are no circles yet
    const middle = this.pane.size.map((side) => side / 2);
    if (factor === 0) this.show(1, [0, 0]);
    else this.enlarge(factor, factor > 1 ? this.pane.sight() : this.whole(middle), middle);
    return true;
  }

  wheel(event) {
    event.preventDefault();
    this.by(event.deltaY > 0 ? 1 / STEP : STEP, this.place(event));
  }

  place(event) {
    return placeIn(this.pane.svg, event);
  }

  // What is enlarged is moved by its background.
  drag(down) {
    if (down.target !== this.pane.svg || this.scale === 1 || !down.isPrimary) return;
    const { scale, corner } = this;
    const from = this.place(down);
    follow((event) => {
      const to = this.place(event);
      if (!this.isPinched())
        this.show(
          scale,
          corner.map((value, k) => value + to[k] - from[k]),
        );
    });
  }
}
