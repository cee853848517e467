// The strip above the scrubber: where updates end (sweeps, where these crowd), where the bound rose most, and the range
// that playing loops over.

import { follow, pressable } from "../pressing.js";
import { placeIn } from "../screen.js";
import { make } from "../svg.js";
import { number } from "../text.js";

const APART = 4; // pixels between ticks at least
const ROOM = 110; // pixels that the number and the variables of a chapter take
const LETTER = 8; // pixels that a digit of a number takes
const THUMB = 8; // pixels from either end at which the middle of the scrubber's thumb stops

const EVERY = [1, 2, 5, 10, 20, 50, 100]; // where ticks crowd, one in this many is drawn

// Every tick, or every second, fifth or tenth: as many as can be told apart.
const thinned = (ends, x) => {
  const room = ends.length > 1 ? x(ends.at(-1)) - x(ends[0]) : 0;
  const every = EVERY.find((k) => room * k >= APART * (ends.length - 1)) ?? EVERY.at(-1);
  return ends.filter((_, i) => (i + 1) % every === 0);
};

export class Strip {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".marks");
    this.range = null;
    stage.$("[data-act=loop]").onclick = () => this.toggle();
  }

  // Another run. A frame in another page may loop over all that it shows.
  begin() {
    const { stretch } = this.stage;
    this.range = stretch?.loops ? [stretch.begin, stretch.end ?? Infinity] : null;
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
    // An element that is redrawn keeps the keyboard focus.
    const focused = svg.querySelector(":focus")?.dataset.end;
    svg.replaceChildren();
    const room = width - 2 * THUMB;
    const { chapters } = stage;
    const along = (place) => THUMB + place * room;
    const x = (position) => along(chapters.along(position));
    this.at = (pixel) => chapters.positionAt((pixel - THUMB) / room);
    const known = (ends) => ends.filter((end) => end >= stage.player.first && end <= seen);
    const [updates, sweeps] = [known(stage.history.updates), known(stage.history.sweeps)];
    if (updates.length && updates.length * APART < x(seen) - x(0)) this.drawTicks("updates", updates, x, height, 4);
    this.drawTicks("sweeps", sweeps, x, height, 7);
    // No tick crosses their numbers.
    this.drawChapters(along, height);
    if (this.range && !stage.stretch) this.drawRange(x, height);
    this.drawRise(x);
    svg.querySelector(`[data-end="${focused}"]`)?.focus();
  }

  // The chapters: their numbers, a ring where cycles begin them, and the variables that are left, where there is room.
  drawChapters(along, height) {
    const { all, at, begins } = this.stage.chapters;
    if (all.length < 2) return;
    const widthOf = (text) => LETTER * String(text).length;
    const shown = along((begins[at] + begins[at + 1]) / 2);
    all.forEach(({ summary, cycles, variables }, k) => {
      const [from, to] = [begins[k], begins[k + 1]].map(along);
      const look = `chapter ${k === at ? "shown" : ""} ${k % 2 ? "odd" : ""}`;
      const block = make(this.svg, "rect", { class: look, x: from, width: Math.max(to - from, 1), y: 0, height });
      this.stage.tip.explain(block, () => summary);
      const x = (from + to) / 2;
      const isFree = (text) => k === at || Math.abs(x - shown) > (widthOf(at + 1) + widthOf(text)) / 2;
      const name = { class: "chapter-name", x, y: height - 2.5 };
      const own = `${k + 1}${cycles ? "○" : ""}`;
      const texts = [
        [`${own}: cycles, ${variables} variables`, cycles ? ROOM + LETTER * "cycles, ".length : Infinity],
        [`${own}: ${variables} variables`, ROOM],
        [own, k === at ? 0 : widthOf(own)],
      ];
      const found = texts.find(([text, least]) => to - from >= least && isFree(text));
      if (found) make(this.svg, "text", name).textContent = found[0];
    });
  }

  drawTicks(name, ends, x, height, long) {
    const d = thinned(ends, x)
      .map((end) => `M${x(end).toFixed(1)} ${height - long}V${height}`)
      .join("");
    make(this.svg, "path", { class: `ticks ${name}`, d });
  }

  drawRise(x) {
    const { svg, stage } = this;
    const { player } = stage;
    const { rise } = stage.history;
    // Among chapters it would be taken for the thumb.
    if (!rise || rise.event < player.first || rise.event > player.seen || stage.chapters.all.length > 1) return;
    const label = `Go to event ${rise.event}, where the bound rose most`;
    const role = { role: "button", tabindex: 0, "data-end": "rise", "aria-label": label };
    const peak = make(svg, "path", { class: "rise", d: `M${x(rise.event)} 0l5 6h-3v6h-4v-6h-3z`, ...role });
    pressable(peak, () => {
      player.jump(rise.event);
    });
    stage.tip.explain(peak, () => [label, `by ${number(rise.gain)}`]);
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
