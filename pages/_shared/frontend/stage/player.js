// Where the run is shown, by steps, jumps and the clock. Position k means: the first k events have happened, and
// event k − 1 was the last.

import { KIND } from "./frames.js";

const STOP = { row: KIND.ROW, node: KIND.MESSAGE, sweep: KIND.SWEEP };
const LOW = 48; // while playing, ask for more when fewer events than this are left ahead

export class Player {
  constructor(stage) {
    this.stage = stage;
    this.speed = 12; // events a second
    this.begin();
  }

  begin() {
    Object.assign(this, { position: 0, seen: 0, playing: false });
  }

  // The last event that has happened, if it is held.
  last() {
    return this.position > 0 ? this.stage.events.get(this.position - 1) : null;
  }

  atEnd() {
    return this.stage.done !== null && this.position >= this.stage.done;
  }

  // What Python says of the place; while playing the clock knows better.
  hear({ position, seen }) {
    if (!this.playing) this.position = position;
    this.seen = Math.max(this.seen, seen);
  }

  show(position) {
    this.position = position;
    this.seen = Math.max(this.seen, position);
    this.stage.questions.settle();
    this.stage.draw();
  }

  // The position after one step, or null if the events held do not reach that far.
  target(grain, backward) {
    const { events } = this.stage;
    const way = backward ? -1 : 1;
    for (let k = this.position + way; k > 0; k += way) {
      const event = events.get(k - 1);
      if (!event) return null;
      if (event.kind >= STOP[grain]) return k;
    }
    return 0;
  }

  step(grain, backward) {
    if (this.stage.running) return;
    this.stop();
    if (!backward && this.atEnd()) return;
    const to = this.target(grain, backward);
    if (to !== null) this.show(to);
    else this.stage.questions.ask("step", { grain, backward });
  }

  play() {
    const { stage } = this;
    if (this.playing || stage.running || this.atEnd()) return;
    this.playing = true;
    let before = performance.now();
    let due = 0;
    const tick = (now) => {
      if (!this.playing || !stage.root.isConnected) return;
      due = Math.min(due + ((now - before) / 1000) * this.speed, this.speed);
      before = now;
      const moves = Math.floor(due);
      const moved = this.advance(moves);
      due -= moved;
      if (moved) stage.draw();
      if (this.atEnd()) return this.pause();
      this.fetch();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    stage.draw();
  }

  // Go on by some events, as far as they are held, around the loop if there is one; returns how many it were.
  advance(most) {
    const { events, strip } = this.stage;
    let moved = 0;
    while (moved < most && events.has(this.position)) {
      this.position += 1;
      moved += 1;
      if (strip.range && this.position >= strip.range[1]) this.position = strip.range[0];
    }
    this.seen = Math.max(this.seen, this.position);
    return moved;
  }

  fetch() {
    const { events, questions, done } = this.stage;
    const low = done === null && !events.has(this.position + LOW);
    if (!questions.waiting && (low || !events.has(this.position))) questions.ask("show");
  }

  // Stop the clock, and have Python know the place.
  pause() {
    if (this.stop()) this.show(this.position);
  }

  // Stop the clock; returns whether it was going.
  stop() {
    const was = this.playing;
    this.playing = false;
    if (was) this.stage.draw();
    return was;
  }
}
