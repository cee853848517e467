// The position shown, moved by steps, jumps and the clock. Position k means: the first k events have happened, and
// event k − 1 was the last. Motion is by scenes; the events of a scene have happened when it starts.

import { clamp } from "../../numbers.js";
import { momentOf } from "./moment.js";
import { following, isMain, resting, targetOf } from "./scenes.js";

const LOW = 60; // while playing, ask for more when fewer events than this are left ahead
const FAR = 400; // the same without motion: then Python is the slowest
const LONGEST = 6000; // milliseconds that the motion of a single step takes at most
const HURRY = 8; // how much faster Play passes anything but main rounds
const LATE = 250; // milliseconds without a frame, as where the tab was hidden, after which the clock does not catch up
const FRAMES = 8; // without motion, a frame shows the last of one in this many events held ahead

// Whether the person wants no motion.
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  constructor(stage) {
    this.stage = stage;
    this.speed = 1; // infinite: nothing moves, a frame shows one of the events that pass in it
    this.mode = "main"; // main, rounds or events: what Play lingers on
    this.filmed = null; // what to go back to after a film, which lets the time pass; null: none is being made
    this.begin();
  }

  begin() {
    Object.assign(this, { position: 0, seen: 0, playing: false, steps: [], awaited: null, known: null });
    Object.assign(this, { scene: null, t: 1, moving: null, lasts: null, missed: null });
  }

  // -- the moment shown ----------------------------------------------------------------------------------------

  // The moment shown; null if its events are not held.
  moment() {
    const { events } = this.stage;
    if (!this.scene) return momentOf(events, resting(events, this.position), 1);
    return momentOf(events, this.scene, calm.matches ? 1 : Math.min(this.t, 1));
  }

  // The first position that can be shown.
  get first() {
    return this.stage.stretch?.begin ?? 0;
  }

  // The position at which Play ends, or begins again.
  get limit() {
    const { strip, done } = this.stage;
    return Math.min(strip.range?.[1] ?? Infinity, done ?? Infinity);
  }

  // The last event that has happened, if it is held.
  last() {
    return this.position > 0 ? this.stage.events.get(this.position - 1) : null;
  }

  atEnd() {
    return this.stage.done !== null && this.position >= this.stage.done;
  }

  // Whether this is the end, of this chapter and of the last one.
  atLast() {
    return this.atEnd() && this.stage.chapters.isLast;
  }

  // Whether nothing comes before it.
  atFirst() {
    return this.position === this.first && this.stage.chapters.isFirst;
  }

  // What Python says of the place; while playing the clock knows better. A step whose events came with the answer is
  // played, unless others are waiting. `missed`: why there is no moment of the kind to be found.
  hear({ position, seen, missed }) {
    this.seen = Math.max(this.seen, seen);
    const stepped = this.awaited?.grain && !this.steps.length && position > this.position;
    if (this.awaited?.goal && !this.stage.first) this.stage.pair.join();
    Object.assign(this, { awaited: null, missed });
    if (stepped && this.stage.events.gap(this.position) >= position) this.move(position);
    else if (!this.playing && !this.scene) this.position = position;
    this.go();
  }

  // The request was stopped. If its place is unknown, the last known one is shown; a stage that has just been mounted
  // knows none, and gets it from Python.
  giveUp() {
    const { questions } = this.stage;
    Object.assign(this, { awaited: null, steps: [] });
    if (this.moment()) questions.catchUp();
    else if (this.known !== null) this.show(this.known);
    else questions.ask("poll");
  }

  // -- jumps and steps --------------------------------------------------------------------------------------

  // Show a place, at once.
  show(position) {
    this.halt();
    this.stage.panes.flow.end();
    this.position = clamp(position, this.first, this.stage.done ?? Infinity);
    this.seen = Math.max(this.seen, this.position);
    this.stage.questions.settle();
    this.stage.draw();
  }

  jump(position) {
    this.stop();
    this.show(position);
    if (!this.stage.first) this.stage.pair.jump();
  }

  step(grain, backward) {
    this.add({ grain, backward });
  }

  // Every press counts: those that come while an answer is awaited wait too. A step has a grain; a goal, the next
  // moment of a kind; or a place where two runs meet (`RunCommand` of the protocol). `lasts`: its milliseconds.
  add(step, lasts = null) {
    if (this.stage.running) return;
    const steps = this.steps;
    this.stop();
    Object.assign(this, { steps: [...steps, step], lasts });
    if (!this.awaited) this.go();
    if (this.moving) this.stage.draw();
  }

  go() {
    const [step, ...rest] = this.steps;
    if (!step) return this.stage.questions.catchUp();
    this.steps = rest;
    if (step.where || step.goal) return this.ask(step.where ? "meet" : "find", step);
    const { grain, backward } = step;
    if (backward ? this.position === this.first : this.atEnd()) {
      if (!this.stage.chapters.leave(backward)) this.go();
      return;
    }
    // Motion starts from the event before.
    const starts = backward || this.position === 0 || this.last();
    const to = starts ? targetOf(this.stage.events, [this.position, this.first], grain, backward) : null;
    if (to === null) return this.ask("step", step);
    if (backward || rest.length) this.show(to);
    else this.move(to);
    this.go();
  }

  ask(what, step) {
    this.awaited = step;
    this.stage.questions.ask(what, step);
  }

  // Go to a place ahead, by the scenes that lead there.
  move(to) {
    const { stage } = this;
    const scenes = [];
    let scene = following(stage.events, resting(stage.events, this.position), to);
    while (scene) {
      scenes.push(scene);
      scene = following(stage.events, scene, to);
    }
    if (!scenes.length || calm.matches || this.speed === Infinity) return this.show(to);
    const total = scenes.reduce((sum, { ms }) => sum + ms, 0);
    this.moving = { scenes, to, rate: this.lasts ? total / this.lasts : Math.max(1, total / LONGEST) };
    this.seen = Math.max(this.seen, to);
    this.enter(scenes.shift());
    this.run();
  }

  // -- the clock --------------------------------------------------------------------------------------------

  play() {
    const { stage } = this;
    if (this.playing || stage.running) return;
    if (this.atLast() && !stage.strip.range) {
      if (!stage.chapters.isFirst) return stage.chapters.restart();
      this.show(0);
    } else if (this.atEnd() && stage.strip.range) this.show(stage.strip.range[0]);
    this.stop();
    this.playing = true;
    const moves = this.speed < Infinity && stage.pair.clock.mayGo(this);
    if (moves) this.enter(following(stage.events, resting(stage.events, this.position), this.limit));
    this.run();
    stage.draw();
  }

  enter(scene) {
    this.scene = scene;
    this.t = scene ? 0 : 1;
    if (scene) this.position = scene.to;
    this.seen = Math.max(this.seen, this.position);
  }

  // The clock goes while something moves.
  run() {
    if (this.ticking || this.filmed !== null) return;
    this.ticking = true;
    let before = performance.now();
    const tick = (now) => {
      const going = (this.playing || this.scene) && this.filmed === null && this.stage.root.isConnected;
      if (!going) {
        this.ticking = false;
        return;
      }
      // Circles that flow together come first, and steps of two runs begin together.
      const isHeld = this.stage.panes.flow.isOn || (this.moving && this.t === 0 && this.stage.pair.isAwaiting);
      if (!isHeld) this.advance(Math.min(now - before, LATE));
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // Some milliseconds pass.
  advance(milliseconds) {
    const { position } = this;
    const moves = this.speed < Infinity || this.moving;
    if (moves) this.spend(milliseconds);
    else this.leap();
    if (moves || position !== this.position) this.stage.draw();
    if (this.playing) this.fetch();
  }

  // Without motion, go on as fast as events come.
  leap() {
    const { events } = this.stage;
    Object.assign(this, { scene: null, t: 1 });
    if (!this.ahead() || !this.stage.pair.clock.mayGo(this)) return;
    const [from, to] = [this.position, Math.min(events.gap(this.position), this.limit)];
    this.position = this.stage.pair.clock.reach(this, from + Math.ceil((to - from) / FRAMES));
    this.seen = Math.max(this.seen, this.position);
  }

  // As many scenes as fit into the time.
  spend(milliseconds) {
    let left = milliseconds;
    do {
      const lasts = this.scene ? this.scene.ms / this.rate() : 0;
      const needed = (1 - this.t) * lasts;
      if (left < needed) this.t += left / lasts;
      else if (this.t < 1) this.t = 1;
      left -= needed;
    } while (left >= 0 && this.t >= 1 && this.next());
  }

  rate() {
    if (this.moving) return this.speed * this.moving.rate;
    const { events } = this.stage;
    this.scene.main ??= this.mode !== "main" || isMain(events, this.scene);
    return this.speed * (this.scene.main ? 1 : HURRY);
  }

  // Enter the next scene; false if there is none: then a step has ended, or Play has, or it waits for events.
  next() {
    const { events } = this.stage;
    if (this.moving) {
      const scene = this.moving.scenes.shift();
      if (scene) this.enter(scene);
      else this.show(this.position);
      return Boolean(scene);
    }
    if (!this.ahead() || !this.stage.pair.clock.mayGo(this)) return false;
    const limit = this.mode === "events" ? this.position + 1 : this.limit;
    const scene = following(events, this.scene ?? resting(events, this.position), limit);
    if (scene) this.enter(scene);
    return Boolean(scene);
  }

  // Whether there is anything to come: after the end of a range its start does, after the last event nothing.
  ahead() {
    const { range } = this.stage.strip;
    if (range && (this.position >= range[1] || this.atLast())) [this.position, this.scene] = [range[0], null];
    else if (this.atEnd() && !this.stage.chapters.leave(false, true)) return this.pause();
    else if (this.atEnd()) return false;
    return true;
  }

  fetch() {
    const { events, questions, done } = this.stage;
    const last = Math.min(this.position + (this.speed === Infinity ? FAR : LOW), (done ?? Infinity) - 1);
    if (!questions.waiting && !events.has(last)) questions.ask("show");
  }

  // Stop the clock, and have Python know the place.
  pause() {
    if (this.stop()) this.show(this.position);
    return false;
  }

  // Stop the clock and finish what moves; earlier presses are dropped. Returns whether it was running.
  stop() {
    const was = this.playing || Boolean(this.scene);
    this.halt();
    Object.assign(this, { playing: false, steps: [] });
    if (was) this.stage.draw();
    return was;
  }

  halt() {
    if (this.moving) this.position = this.moving.to;
    Object.assign(this, { scene: null, t: 1, moving: null, missed: null });
  }
}
