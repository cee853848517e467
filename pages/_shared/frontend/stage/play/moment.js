// One moment of a scene. Everything drawn depends on one moment, and on nothing else.

import { isClosed } from "../../gap.js";

// Share of a scene in which messages pass after which they have: then LB, the tensions and the labelling change, all
// together. LB is never drawn in between.
export const STEP = 0.55;

const ENDS = new Set(["pass", "sweep", "finish"]);

const ease = (u) => (u < 0.5 ? 2 * u * u : 1 - 2 * (1 - u) ** 2);

export class Moment {
  // `t`: how much of the scene has been played, from 0 to 1.
  constructor(scene, t, before, after, asks = null) {
    Object.assign(this, { scene, t, before, after, act: scene.act, rest: t === 1 });
    this.passed = !ENDS.has(scene.act) || t >= STEP;
    const state = this.passed ? after : before;
    this.state = state;
    [this.lower, this.upper, this.tension, this.best] = [state.lower, state.upper, state.tension, state.best];
    [this.decided, this.proven, this.least] = [state.decided, state.proven ?? false, state.least];
    this.over = ENDS.has(scene.act) && this.passed;
    this.update = asks ?? after.update ?? (after.proven ? null : after.passed) ?? null;
  }

  // How far a motion is that takes place between two times of the scene.
  part(from, to) {
    return ease(Math.min(Math.max((this.t - from) / (to - from), 0), 1));
  }
}

// How far the proof of optimality is faded in, from 0 to 1. Only the engine decides that it is proven: bounds that look
// the same do not.
export const proofOf = (moment) => (moment.after.proven ? moment.part(STEP, 0.9) : 0);

// Whether a run or a proof has ended here; one that cycles have ended has no event.
export const isEnd = ({ act, over, after }) =>
  over ? act === "finish" || Boolean(after.proven) : Boolean(after.proven) && after.index < 0;

// Whether it is proven by bounds that are the same number; `lower`: the best one known.
export const isMet = ({ proven, lower, upper }, { scale }, best = lower) => proven && isClosed(best, upper, scale);

// The moment of a scene, from the events held.
export const momentOf = (events, scene, t) => {
  const at = (position) => (position > 0 ? events.get(position - 1) : events.origin);
  const after = at(scene.to);
  const asks = scene.act === "floor" ? (events.get(scene.to)?.asks ?? null) : null;
  return after ? new Moment(scene, t, at(scene.from) ?? after, after, asks) : null;
};
