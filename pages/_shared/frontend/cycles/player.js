// The position shown, moved by steps, jumps and the clock. Position k: the first k events have happened.

import { clamp } from "../numbers.js";
import { isFound } from "./history.js";

// Milliseconds of a motion: a cycle that takes a share, one that takes nothing, the end of a round.
const LASTS = { taking: 1800, nothing: 260, round: 1300 };
const LATE = 250; // milliseconds without a frame after which the clock does not catch up
const RESTS = 300; // milliseconds at a place until Python is told of it

// Shares of a motion: a cycle is walked round, its couplings fill; then bounds and labelling change, at once.
export const [WALKS, TAKES] = [
  [0, 0.45],
  [0.45, 0.78],
];
const STEP = TAKES[1];

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const ease = (u) => (u < 0.5 ? 2 * u * u : 1 - 2 * (1 - u) ** 2);

// What is drawn of a history: the states before and after a motion, and how much of it has been played, from 0 to 1.
class Moment {
  constructor(history, from, to, t) {
    Object.assign(this, { t, before: history.at(from), after: history.at(to) });
    this.passed = t >= STEP;
    this.state = this.passed ? this.after : this.before;
    this.event = this.after.event;
    this.isEnd = this.passed && to === history.end;
  }

  part(from, to) {
    return ease(clamp((this.t - from) / (to - from), 0, 1));
  }
}

// The place in the course that is shown.
export const placeOf = (moments) => moments.reduce((sum, { state }) => sum + state.position, 0);

export class Player {
  constructor(picture) {
    Object.assign(this, { picture, speed: 1 });
    this.begin(0);
  }

  begin(position) {
    Object.assign(this, { position, from: position, t: 1, playing: false, awaited: null, seen: position });
  }

  get course() {
    return this.picture.course;
  }

  // What is drawn of each history.
  moments() {
    const { course, from, position } = this;
    this.seen = Math.max(this.seen, position);
    const [before, after] = [course.counts[from], course.counts[position]];
    return course.histories.map((history, k) => {
      const t = calm.matches || before[k] === after[k] ? 1 : this.t;
      return new Moment(history, before[k], after[k], t);
    });
  }

  atEnd() {
    return this.position === this.course.end;
  }

  // -- steps ------------------------------------------------------------------------------------------------

  step(grain, backward) {
    this.pause();
    if (backward) return this.show(this.course.before(this.position, grain));
    const to = this.course.following(this.position, grain);
    if (to === null) this.awaited = grain;
    else if (to !== this.position) this.move(to);
    this.picture.changed();
  }

  // A step, a jump or Play may have waited for these events.
  hear() {
    const { awaited, course } = this;
    if (awaited === "end" && course.end !== null) return this.show(course.end);
    if (awaited === "end") return course.length > this.position && this.show(course.length, awaited);
    if (this.playing && this.t === 1) return this.resume();
    const to = awaited && course.following(this.position, awaited);
    if (typeof awaited === "number" && (course.length >= awaited || course.end !== null)) return this.show(awaited);
    if (typeof awaited === "string" && to !== null) {
      this.awaited = null;
      if (to !== this.position) this.move(to);
    }
  }

  show(position, awaited = null) {
    const { length, end } = this.course;
    this.playing = false;
    this.awaited = position > length && end === null ? position : awaited;
    this.position = clamp(position, 0, length);
    Object.assign(this, { from: this.position, t: 1 });
    this.picture.changed();
    if (this.awaited === null) this.rest();
  }

  // No more events will come.
  giveUp() {
    if (this.awaited === null && !this.playing) return;
    this.show(Math.min(this.position, this.course?.length ?? 0));
  }

  toEnd() {
    this.show(this.course.length, this.course.end === null ? "end" : null);
  }

  // -- the clock --------------------------------------------------------------------------------------------

  play() {
    if (this.atEnd()) this.show(0);
    this.playing = true;
    this.awaited = null;
    if (this.t === 1) this.next();
    this.run();
    this.picture.changed();
  }

  // Stop, at the end of what moves.
  pause() {
    if (!this.playing && this.t === 1) return;
    this.show(this.position);
  }

  move(to) {
    Object.assign(this, { from: this.position, position: to, t: calm.matches ? 1 : 0 });
    this.run();
    this.rest();
  }

  next() {
    const to = this.course.following(this.position, "cycle");
    if (to === null || to === this.position) return;
    Object.assign(this, { from: this.position, position: to, t: 0 });
  }

  run() {
    if (this.ticking) return;
    this.ticking = true;
    let before = performance.now();
    const tick = (now) => {
      // What Play waits for makes it go on.
      if (!this.picture.root.isConnected || this.t === 1) {
        this.ticking = false;
        return;
      }
      this.advance(Math.min(now - before, LATE));
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  advance(milliseconds) {
    let left = milliseconds;
    while (left > 0 && this.t < 1) {
      const lasts = this.lasts();
      const needed = (1 - this.t) * lasts;
      this.t = left < needed ? this.t + left / lasts : 1;
      left -= needed;
      if (this.t === 1 && this.playing) this.next();
    }
    if (this.playing && this.atEnd() && this.t === 1) return this.show(this.position);
    this.picture.changed();
  }

  lasts() {
    return this.lengthOf(this.course.eventTo(this.position)) / this.speed;
  }

  // Milliseconds of the motion that leads to an event, at the usual speed.
  lengthOf(event) {
    return LASTS[isFound(event) ? (event.share === 0 ? "nothing" : "taking") : "round"];
  }

  // Stand within the motion that leads to a position, after a share of it.
  stand(position, t) {
    Object.assign(this, { position, from: t < 1 ? position - 1 : position, t });
  }

  // Play goes on with what has come.
  resume() {
    this.next();
    if (this.t < 1) this.run();
  }

  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.playing || this.picture.tell(), RESTS);
  }
}
