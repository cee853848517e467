// Where the circles are in the whole picture: as the model has them, or where a person has put them, by pointer or by
// keys.

import { clamp } from "../../numbers.js";
import { follow } from "../../pressing.js";
import { FEW } from "./circles.js";

const DRAG = 4; // pixels from which on a press is a drag
const STEP = 10; // pixels that a key moves a circle
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const INSIDE = 12; // pixels from a circle that is moved to the edges
const RIM = 8; // pixels beside a large circle
const NARROW = 400; // pixels of width below which names take two lines: then there is more room below

export class Places {
  // `pane` has its `svg`, its `size`, and `moved()`, called after a circle has been moved.
  constructor(pane) {
    Object.assign(this, { pane, whole: [], dragged: false, cached: null });
    pane.svg.addEventListener("pointerdown", (event) => this.grab(event));
    pane.svg.addEventListener("keydown", (event) => this.push(event));
    // Not by the picture itself: what listens for the focus there is a stop of the keyboard.
    pane.svg.parentElement.addEventListener("focusin", ({ target }) => {
      this.focused = target.matches(":focus-visible");
    });
  }

  // Where a person has put the groups of this very hyper-graph.
  get key() {
    return `bender-lab:places:${this.pane.stage.graph.key}`;
  }

  get kept() {
    if (this.cached?.key === this.key) return this.cached.kept;
    try {
      return JSON.parse(localStorage.getItem(this.key) || "{}");
    } catch {
      return {};
    }
  }

  // An address says where they are: what this browser remembers of them is another picture.
  put(kept) {
    this.cached = { key: this.key, kept };
  }

  tidy() {
    this.cached = null;
    localStorage.removeItem(this.key);
  }

  layout(crowded) {
    const [width, height] = this.pane.size;
    const below = width < NARROW ? 52 : 42; // the words about the solution are free
    const { nodes } = this.pane.stage.graph;
    const large = nodes.length <= FEW ? 0.19 * Math.min(width, height) + RIM : 0;
    const usual = [Math.max(Math.min(56, width / 6), large), Math.max(30, large), Math.max(below, large + below)];
    const [side, top, bottom] = crowded ? [20, 16, 22] : usual;
    this.whole = nodes.map(({ x, y }) => [side + x * (width - 2 * side), top + y * (height - top - bottom)]);
    for (const [p, [x, y]] of Object.entries(this.kept)) if (this.whole[p]) this.whole[p] = [x * width, y * height];
  }

  groupOf({ target }) {
    return target.dataset?.node === undefined ? -1 : Number(target.dataset.node);
  }

  grab(down) {
    const p = this.groupOf(down);
    this.dragged = false;
    if (p < 0) return;
    const { at, camera } = this.pane;
    const [[x, y], from] = [at[p], camera.place(down)];
    const move = (event) => {
      const [dx, dy] = camera.place(event).map((to, k) => to - from[k]);
      if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
      this.dragged = true;
      this.move(p, x + dx, y + dy);
    };
    follow(move, () => {
      if (!this.dragged) return;
      this.keep(p);
      // The click that ends a drag selects nothing.
      setTimeout(() => {
        this.dragged = false;
      });
    });
  }

  // Arrows move the circle that the keyboard has come to; after a click they step, as everywhere.
  push(event) {
    const [p, way] = [this.groupOf(event), WAYS[event.key]];
    if (p < 0 || !way || !this.focused || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.pane.stage.tip.hide();
    const [x, y] = this.pane.at[p];
    this.move(p, x + STEP * way[0], y + STEP * way[1]);
    this.keep(p);
  }

  move(p, x, y) {
    const { size, camera } = this.pane;
    this.whole[p] = camera.whole([x, y]).map((value, k) => clamp(value, INSIDE, size[k] - INSIDE));
    this.pane.moved();
  }

  keep(p) {
    const [width, height] = this.pane.size;
    const [x, y] = this.whole[p];
    const kept = { ...this.kept, [p]: [x / width, y / height] };
    localStorage.setItem(this.key, JSON.stringify(kept));
    if (this.cached) this.put(kept);
    this.pane.moved();
  }
}
