// The clock of the runs on the stage. Two wait for each other, after every group or after every sweep; or the one that
// has read more entries waits.

import { KIND, STOP } from "../kinds.js";

export class Clock {
  constructor(pair) {
    this.pair = pair;
    this.chosen = null; // node, sweep or work
    this.select = pair.first.$("[data-act=beat]");
    this.select.onchange = () => {
      this.chosen = this.select.value;
      pair.race.draw();
    };
    this.begin();
  }

  begin() {
    this.queue = []; // presses, until both have done what was asked before
  }

  get beat() {
    return this.chosen ?? (this.pair.hasSameUpdates ? "node" : "sweep");
  }

  get players() {
    return this.pair.stages.map(({ player }) => player);
  }

  get playing() {
    return this.players.some(({ playing }) => playing);
  }

  atLast() {
    return this.players.every((player) => player.atLast());
  }

  atFirst() {
    return this.players.every((player) => player.atFirst());
  }

  // -- steps ---------------------------------------------------------------------------------------------------

  step(grain, backward) {
    if (this.players.length === 1) return this.players[0].step(grain, backward);
    this.add({ grain, backward });
  }

  add(press) {
    this.queue.push(press);
    this.goOn();
  }

  // What was pressed, once nothing is awaited.
  goOn() {
    const { players } = this;
    while (this.queue.length && players.every(({ awaited, steps }) => !awaited && !steps.length)) {
      for (const player of players) player.stop();
      const press = this.queue.shift();
      for (const player of press.where ? players : this.movers(press)) player.add(press);
    }
  }

  // Who takes a step: both, or only the one for which the other waits.
  movers({ grain, backward }) {
    const going = this.players.filter((player) => !(backward ? player.atFirst() : player.atLast()));
    if (going.length < 2) return going;
    if (this.beat === "work") {
      const works = going.map(workOf);
      const next = backward ? Math.max(...works) : Math.min(...works);
      return going.filter((_, k) => works[k] === next);
    }
    // The one that is behind goes; back, the one that is ahead.
    const isBySweep = Math.max(STOP[this.beat], STOP[grain]) === KIND.SWEEP;
    const places = going.map((player) => placeOf(player, isBySweep, backward));
    const next = backward ? Math.max(...places) : Math.min(...places);
    return going.filter((_, k) => places[k] === next);
  }

  // Both look for a place: where LB first differs, or where the other one leads next. They ask together, once neither
  // awaits an answer, as each is needed for the search.
  meet(where) {
    if (this.pair.stages.some(({ running }) => running)) return;
    // What was pressed before still counts, unless they play.
    if (this.playing) this.pause();
    this.add({ where, beat: this.beat });
  }

  // -- play ----------------------------------------------------------------------------------------------------

  play() {
    this.begin();
    const { players } = this;
    const going = players.filter((player) => !player.atLast());
    for (const player of going.length ? going : players) player.play();
  }

  pause() {
    this.queue = [];
    for (const player of this.players) player.pause();
  }

  // Whether a player that plays may go on now.
  mayGo(player) {
    const other = this.players.find((each) => each !== player);
    if (!other) return true;
    if (!atStop(player, this.kind) || other.atLast()) return true;
    if (this.beat === "work") return workOf(player) <= workOf(other);
    const [own, its] = [player, other].map((each) => this.placeOf(each));
    // What the other one does last is seen to its end.
    return own < its || (own === its && (other.t >= 1 || !atStop(other, this.kind)));
  }

  // The place of a run, which rises whenever it has done what the other may have to wait for.
  placeOf(player) {
    return this.beat === "work" ? workOf(player) : placeOf(player, this.beat === "sweep", false);
  }

  // Whether a run is ahead of the other.
  isAhead(player) {
    const other = this.players.find((each) => each !== player);
    return !other.atLast() && this.placeOf(player) > this.placeOf(other);
  }

  // The kind of events after which one may have to wait.
  get kind() {
    return this.beat === "work" ? KIND.MESSAGE : STOP[this.beat];
  }

  // How far a player may leap without motion: to where it has to wait, at most.
  reach(player, to) {
    if (this.players.length === 1) return to;
    const { events } = player.stage;
    let k = player.position + 1;
    while (k < to && events.get(k - 1).kind < this.kind) k += 1;
    return Math.min(k, to);
  }
}

// Whether a run is where it waits for the other: after a group or a sweep, or at its beginning.
const atStop = (player, kind) => player.position === 0 || (player.last()?.kind ?? kind) >= kind;

const MANY = 1e6; // more than the updates of a sweep

// The place on the clock: complete sweeps, or these and the complete updates of the next one. On the way back what is
// open counts as complete.
const placeOf = (player, isBySweep, backward) => {
  const last = player.last();
  const { begins } = player.stage.data.clocked;
  if (!last) return isBySweep ? begins : begins * MANY;
  const isEnd = last.kind >= KIND.SWEEP;
  const open = backward && (isBySweep ? !isEnd : last.kind < KIND.MESSAGE) ? 1 : 0;
  const sweeps = begins + last.sweep + (isEnd ? 1 : 0);
  if (isBySweep) return sweeps + open;
  return sweeps * MANY + (isEnd ? 0 : last.updates) + open;
};

// Table entries read for the messages of a run until the event shown; infinite if they are not known.
export const workOf = (player) => {
  const state = player.last() ?? (player.position === 0 ? player.stage.events.origin : null);
  return state ? workIn(state) : Infinity;
};

export const workIn = ({ read: { before, within } }) =>
  before.reduce((sum, entries, arc) => sum + (within[arc] ?? entries), 0);
