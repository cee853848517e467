// The strip above the scrubber: where sweeps end, where the bound rose most, and the range that playing loops over.

class Marks {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".marks");
    this.range = null;
    stage.$("[data-act=loop]").onclick = () => this.toggle();
    new ResizeObserver(() => stage.run !== null && this.draw()).observe(this.svg);
  }

  // Loop over the sweep shown, or stop looping.
  toggle() {
    this.range = this.range ? null : this.sweepAround(this.stage.position);
    this.draw();
  }

  sweepAround(position) {
    const ends = this.stage.history.sweeps;
    const next = ends.findIndex((end) => end >= position);
    const last = ends[ends.length - 1] || 0;
    return next < 0 ? [last, Math.max(this.stage.seen, last + 1)] : [ends[next - 1] || 0, ends[next]];
  }

  draw() {
    const { svg, stage } = this;
    const { width, height } = svg.getBoundingClientRect();
    stage.$("[data-act=loop]").setAttribute("aria-pressed", Boolean(this.range));
    if (!width) return;
    // What is drawn anew stays the keyboard's.
    const focused = svg.querySelector(":focus")?.dataset.end;
    svg.replaceChildren();
    // The thumb's middle runs from 8 pixels inside one end to 8 inside the other.
    const x = (position) => 8 + (position / Math.max(stage.seen, 1)) * (width - 16);
    this.at = (pixel) => Math.round(((pixel - 8) / (width - 16)) * Math.max(stage.seen, 1));
    if (this.range) this.drawRange(x, height);
    const ends = stage.history.sweeps.filter((end) => end <= stage.seen);
    const d = ends.map((end) => `M${x(end).toFixed(1)} ${height - 5}V${height}`).join("");
    make(svg, "path", { class: "sweeps", d });
    this.drawRise(x, height);
    svg.querySelector(`[data-end="${focused}"]`)?.focus();
  }

  drawRise(x, height) {
    const { svg, stage } = this;
    const { rise } = stage.history;
    if (!rise || rise.event > stage.seen) return;
    const peak = make(svg, "path", { class: "rise", d: `M${x(rise.event)} ${height - 1}l-5 -9h10z`, role: "button", tabindex: 0, "data-end": "rise", "aria-label": `Go to event ${rise.event}, where the bound rose most` });
    pressable(peak, () => { stage.pause(false); stage.show(rise.event); });
    stage.explain(peak, () => ["Here the bound rose most", `event ${rise.event}: by ${number(rise.gain)}`]);
  }

  drawRange(x, height) {
    const [a, b] = this.range;
    make(this.svg, "rect", { class: "loop", x: x(a), width: Math.max(x(b) - x(a), 2), y: 2, height: height - 4 });
    ["Start", "End"].forEach((name, end) => {
      const handle = make(this.svg, "rect", { class: "handle", x: x(this.range[end]) - 3, width: 6, y: 0, height, "data-end": end, tabindex: 0,
        role: "slider", "aria-label": `${name} of the loop`, "aria-valuemin": 0, "aria-valuemax": this.stage.seen, "aria-valuenow": this.range[end] });
      handle.onkeydown = (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] * (event.shiftKey ? 10 : 1);
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        this.pull(end, this.range[end] + step);
      };
      handle.onpointerdown = (down) => {
        down.preventDefault();
        const move = (event) => this.pull(end, this.at(event.clientX - this.svg.getBoundingClientRect().left));
        const drop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", drop); };
        addEventListener("pointermove", move);
        addEventListener("pointerup", drop);
      };
    });
  }

  pull(end, position) {
    const to = Math.min(Math.max(position, 0), this.stage.seen);
    this.range[end] = end === 0 ? Math.min(to, this.range[1] - 1) : Math.max(to, this.range[0] + 1);
    this.draw();
  }
}
