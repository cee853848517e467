// The strip above the scrubber: where updates end (sweeps, where these crowd), where the bound rose most, and the range
// that playing loops over.

import { follow, pressable } from "../pressing.js";
import { placeIn } from "../screen.js";
import { make } from "../svg.js";
import { number } from "../text.js";

const APART = 4; // pixels between ticks at least
const ROOM = 90; // pixels that the name of a chapter takes
const THUMB = 8; // pixels from either end at which the middle of the scrubber's thumb stops

export class Strip {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".marks");
    this.range = null;
    stage.$("[data-act=loop]").onclick = () => this.toggle();
  }

  // Loop over the sweep shown, or stop looping.
  toggle() {
    this.range = this.range ? null : this.sweepAround(this.stage.player.position);
    this.draw();
  }

  sweepAround(position) {
    const ends = this.stage.history.sweeps;
    const next = ends.findIndex((end) => end >= position);
    const last = ends[ends.length - 1] || 0;
    if (next < 0) return [last, Math.max(this.stage.player.seen, last + 1)];
    return [ends[next - 1] || 0, ends[next]];
  }

  draw() {
    const { svg, stage } = this;
    const { seen } = stage.player;
    const { width, height } = stage.sizes.of(svg);
    stage.$("[data-act=loop]").setAttribute("aria-pressed", Boolean(this.range));
    if (!width) return;
    // What is drawn anew stays the keyboard's.
    const focused = svg.querySelector(":focus")?.dataset.end;
    svg.replaceChildren();
    const room = width - 2 * THUMB;
    const { chapters } = stage;
    const [before, all] = [chapters.before(chapters.at), Math.max(chapters.total, 1)];
    const x = (position) => THUMB + ((before + position) / all) * room;
    this.at = (pixel) => Math.round(((pixel - THUMB) / room) * all) - before;
    this.drawChapters(x, before, height);
    if (this.range) this.drawRange(x, height);
    const { updates, sweeps } = stage.history;
    const within = updates.filter((end) => end <= seen);
    if (within.length && within.length * APART < room) this.drawTicks("updates", within, x, height, 4);
    this.drawTicks(
      "sweeps",
      sweeps.filter((end) => end <= seen),
      x,
      height,
      7,
    );
    this.drawRise(x, height);
    svg.querySelector(`[data-end="${focused}"]`)?.focus();
  }

  // Where the chapters begin, with the variables that are left.
  drawChapters(x, before, height) {
    const { all, at } = this.stage.chapters;
    if (all.length < 2) return;
    all.forEach(({ told, variables }, k) => {
      const [from, to] = [k, k + 1].map((each) => x(this.stage.chapters.before(each) - before));
      const look = `chapter ${k === at ? "shown" : ""} ${k % 2 ? "odd" : ""}`;
      const block = make(this.svg, "rect", { class: look, x: from, width: Math.max(to - from, 1), y: 0, height });
      this.stage.tip.explain(block, () => told.filter(Boolean));
      const text = `${variables} variables`;
      if (to - from < ROOM || k === at) return;
      make(this.svg, "text", { class: "chapter-name", x: from + 4, y: 10 }).textContent = text;
    });
  }

  drawTicks(name, ends, x, height, long) {
    const d = ends.map((end) => `M${x(end).toFixed(1)} ${height - long}V${height}`).join("");
    make(this.svg, "path", { class: `ticks ${name}`, d });
  }

  drawRise(x, height) {
    const { svg, stage } = this;
    const { player } = stage;
    const { rise } = stage.history;
    if (!rise || rise.event > player.seen) return;
    const label = `Go to event ${rise.event}, where the bound rose most`;
    const role = { role: "button", tabindex: 0, "data-end": "rise", "aria-label": label };
    const peak = make(svg, "path", { class: "rise", d: `M${x(rise.event)} ${height - 1}l-5 -9h10z`, ...role });
    pressable(peak, () => {
      player.jump(rise.event);
    });
    const lines = ["Here the bound rose most", `event ${rise.event}: by ${number(rise.gain)}`];
    stage.tip.explain(peak, () => lines);
  }

  drawRange(x, height) {
    const [a, b] = this.range;
    const width = Math.max(x(b) - x(a), 2);
    make(this.svg, "rect", { class: "loop", x: x(a), width, y: 2, height: height - 4 });
    this.drawHandle("Start", 0, x, height);
    this.drawHandle("End", 1, x, height);
  }

  drawHandle(name, end, x, height) {
    const at = this.range[end];
    const box = { x: x(at) - 3, width: 6, y: 0, height };
    const role = { role: "slider", tabindex: 0, "data-end": end, "aria-label": `${name} of the loop` };
    const values = { "aria-valuemin": 0, "aria-valuemax": this.stage.player.seen, "aria-valuenow": at };
    const handle = make(this.svg, "rect", { class: "handle", ...box, ...role, ...values });
    handle.onkeydown = (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.pull(end, at + way * (event.shiftKey ? 10 : 1));
    };
    handle.onpointerdown = (down) => {
      down.preventDefault();
      follow((event) => this.pull(end, this.at(placeIn(this.svg, event)[0])));
    };
  }

  pull(end, position) {
    const to = Math.min(Math.max(position, 0), this.stage.player.seen);
    this.range[end] = end === 0 ? Math.min(to, this.range[1] - 1) : Math.max(to, this.range[0] + 1);
    this.draw();
  }
}
