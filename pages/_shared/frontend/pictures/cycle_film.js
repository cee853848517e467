// A film of the cycles: a cycle that takes its share, or a round, from its first cycle to the new shares of all.

import { MOST, photographed, STEP, Stopped } from "./photographed.js";

export class CycleFilm {
  // `span`: cycle or round.
  constructor(cycles, span) {
    Object.assign(this, { cycles, span, stopped: false });
    this.hear = (event) => {
      if (event.key === "Escape") this.stop();
      event.stopImmediatePropagation();
    };
  }

  stop() {
    this.stopped = true;
  }

  get root() {
    return this.cycles.root;
  }

  // -- before and after -----------------------------------------------------------------------------------------

  async begin() {
    const { player, course } = this.cycles;
    player.pause();
    this.place = player.position;
    // At the start nothing has happened: the film is of what comes.
    const at = this.place || course.following(0, this.span);
    if (at === null) throw new Stopped("the round is not known yet: nothing is saved");
    this.from = course.before(at, this.span);
    this.to = course.following(this.from, this.span);
    if (!this.to || this.from === this.to) throw new Stopped("nothing moves here");
    const { round } = course.eventTo(this.from + 1);
    const of = this.cycles.halves.length > 1 ? `${this.cycles.halves[course.moverTo(this.to)].history.by}-` : "";
    this.name = this.span === "round" ? `${of}round${round + 1}` : `event${this.to}`;
    this.hold(true);
    const milliseconds = this.lengths.reduce((sum, each) => sum + each, 0);
    const steps = Math.ceil(milliseconds / STEP);
    this.step = STEP * Math.max(1, steps / MOST);
    this.count = Math.min(steps, MOST);
    this.pace = steps > MOST ? `×${(steps / MOST).toFixed(1)}` : "";
  }

  async end() {
    if (this.from === undefined) return;
    this.hold(false);
    this.cycles.player.show(this.place);
  }

  // Nothing but Stop can be pressed meanwhile, and no key but Escape, which stops too.
  hold(on) {
    for (const part of this.root.querySelectorAll(".bar, .pane, .said, .common > *")) {
      part.inert = on && !part.matches(".saving");
    }
    document.documentElement.toggleAttribute("data-filming", on);
    if (on) addEventListener("keydown", this.hear, true);
    else removeEventListener("keydown", this.hear, true);
  }

  async wait(milliseconds) {
    await new Promise((passed) => setTimeout(passed, milliseconds));
    if (this.stopped || !this.root.isConnected) throw new Stopped("stopped: nothing is saved");
  }

  // -- the walk -------------------------------------------------------------------------------------------------

  // Milliseconds of the motion that leads to each position.
  get lengths() {
    const { from, to, cycles } = this;
    return Array.from({ length: to - from }, (_, k) => cycles.player.lengthOf(cycles.course.eventTo(from + k + 1)));
  }

  // Go through its moments; the player stands at one when it is yielded.
  async *walk(step) {
    const { player } = this.cycles;
    let into = 0;
    for (const [k, length] of this.lengths.entries()) {
      for (; into < length; into += step) {
        player.stand(this.from + k + 1, into / length);
        yield;
        await this.wait(0);
      }
      into -= length;
    }
    player.stand(this.to, 1);
    yield;
  }

  // -- its pictures ---------------------------------------------------------------------------------------------

  pictures(scale) {
    return photographed(this, scale);
  }

  // What is to be drawn.
  get sight() {
    const { position, t } = this.cycles.player;
    return `${position} ${t}`;
  }

  draw() {
    this.cycles.draw();
  }
}
