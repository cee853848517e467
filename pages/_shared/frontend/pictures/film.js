// A film of the stage: the moments that Play shows, as far apart as its pictures, whatever the time that drawing takes.

import { MOST, photographed, STEP, Stopped } from "./photographed.js";

const AHEAD = 60; // events that are held before any of them is shown, as Play wants
const WAIT = 30; // milliseconds until something that is awaited is looked for again

// Kinds of events after which a film of something ends: `STOP` in stage/kinds.js.
const ENDS = { act: 0, event: 0, node: 3, sweep: 4 };

const later = (milliseconds) =>
  new Promise((passed) => {
    setTimeout(passed, milliseconds);
  });

// Milliseconds until what moves has come to its end.
const left = (player) => (player.scene ? ((1 - player.t) * player.scene.ms) / player.rate() : 0);

export class Film {
  // `span`: act, node (an update) or sweep.
  constructor(stage, span) {
    Object.assign(this, { stage, span, pair: stage.pair, stopped: false });
    this.beat = undefined; // that of the clock before, to go back to
    this.scene = null; // the one that an act is: it is shown at leisure
    this.hear = (event) => {
      if (event.key === "Escape") this.stop();
      if (!event.composedPath().includes(stage.$(".saving"))) event.stopImmediatePropagation();
    };
  }

  stop() {
    this.stopped = true;
  }

  get root() {
    return this.stage.root;
  }

  get players() {
    return this.pair.stages.map(({ player }) => player);
  }

  // -- before and after -----------------------------------------------------------------------------------------

  // Find out what is to be shown.
  async mark() {
    const { pair } = this;
    if (pair.stages.some(({ running }) => running)) throw new Stopped("it runs at full speed: stop it first");
    pair.clock.pause();
    await this.rest();
    this.beat = pair.clock.chosen;
    pair.clock.chosen = this.span === "sweep" ? "sweep" : "node";
    pair.enterFilm();
    this.hold(true);
    await this.find();
  }

  // And how long it takes.
  async begin() {
    await this.mark();
    const { stage } = this;
    for (const player of this.players) player.speed = 1;
    stage.strip.range = [this.from, this.to];
    stage.strip.draw();
    const steps = await this.length();
    this.step = STEP * Math.max(1, steps / MOST);
    this.count = Math.min(steps, MOST);
    this.pace = steps > MOST ? `×${(steps / MOST).toFixed(1)}` : "";
  }

  // Back to where it was.
  async end() {
    const { pair } = this;
    this.hold(false);
    if (this.beat === undefined) return;
    pair.clock.chosen = this.beat;
    this.beat = undefined;
    this.stopped = false;
    const isLeft = !pair.leaveFilm() || !this.stage.root.isConnected;
    try {
      for (const player of isLeft ? [] : this.players) {
        player.jump(player.position);
        await this.rest();
      }
    } catch (problem) {
      if (!(problem instanceof Stopped)) throw problem; // the page has been left meanwhile
    }
    this.stage.strip.draw();
  }

  // Nothing but Stop can be pressed meanwhile, and no key but Escape, which stops too.
  hold(on) {
    const all = this.stage.root.parentElement.querySelectorAll(".run, .bar, .panes, .race, .said, .status > *");
    for (const part of all) part.inert = on && !part.matches(".saving");
    document.documentElement.toggleAttribute("data-filming", on);
    if (on) addEventListener("keydown", this.hear, true);
    else removeEventListener("keydown", this.hear, true);
  }

  // Until all have come to rest.
  async rest() {
    const rests = (each) => each.status.stateOf() === "idle" && each.moment();
    do await this.wait(WAIT);
    while (this.pair.isJoining || !this.pair.stages.every(rests));
  }

  async wait(milliseconds) {
    await later(milliseconds);
    const isLeft = this.beat !== undefined && this.stage.player.filmed === null;
    if (this.stopped || isLeft || !this.stage.root.isConnected) throw new Stopped("stopped: nothing is saved");
  }

  // -- what is to be shown --------------------------------------------------------------------------------------

  async find() {
    const { player } = this.stage;
    const { scene } = this.stage.moment();
    if (this.span === "act" && scene.ms) {
      const { from, to, act } = scene;
      return Object.assign(this, { scene: { ...scene, main: true }, from, to, name: `event${to}-${act}` });
    }
    // At the start there has been no act.
    const grain = this.span === "act" ? "event" : this.span;
    await this.goBack(grain);
    this.from = player.position;
    await this.go(grain, false);
    this.to = player.position;
    if (this.from === this.to) throw new Stopped("nothing moves here");
    const { sweep, updates } = player.last();
    const update = this.span === "node" ? `-update${updates}` : "";
    return Object.assign(this, { name: this.span === "act" ? `event${this.to}` : `sweep${sweep + 1}${update}` });
  }

  // To the beginning of what ends or goes on here; the end of a sweep or of the run is no update.
  async goBack(grain) {
    const { player } = this.stage;
    for (let goesOn = player.position > 0; goesOn;) {
      const last = player.last();
      await this.go(grain, true);
      goesOn = last.kind > ENDS[grain] && player.position === last.index && player.position > 0;
    }
  }

  async go(grain, backward) {
    if (!backward && this.stage.player.atEnd()) return;
    this.stage.player.step(grain, backward);
    await this.rest();
  }

  // -- the walk -------------------------------------------------------------------------------------------------

  // The number of pictures a usual step apart.
  async length() {
    const walk = this.walk(STEP);
    let count = 0;
    while (!(await walk.next()).done) count += 1;
    return count;
  }

  // Go through its moments; all players stand at one when it is yielded.
  async *walk(step) {
    const [player, ...others] = this.players;
    await this.rewind();
    // At rest there is still what was before: of an update, the end of another one.
    if (this.scene) yield;
    for (let isOver = false; ;) {
      const going = others.filter((each) => this.goesOn(each, isOver));
      if (isOver && !going.length) return;
      const before = this.moment;
      for (const each of isOver ? going : [player, ...going]) {
        await this.held(each);
        if (each === player && player.position === this.to && left(player) <= step) player.t = 1;
        else each.spend(step);
      }
      isOver ||= player.position === this.to && player.t === 1;
      if (this.moment !== before) yield;
    }
  }

  // Where all players are.
  get moment() {
    return JSON.stringify(this.players.map(({ position, t, scene }) => [position, t, scene?.act]));
  }

  async rewind() {
    const { stage } = this;
    for (const player of this.players) Object.assign(player, { playing: false, scene: null, t: 1 });
    stage.player.jump(this.from);
    await this.rest();
    if (this.scene) stage.player.enter(this.scene);
    else for (const player of this.players) player.playing = true;
  }

  // Whether a run beside the first goes on: up to where it waits for that, and once that has ended, to its own end.
  goesOn(player, isOver) {
    if (this.scene) return false;
    const last = player.last();
    const stops = player.t >= 1 && (!last || last.kind >= ENDS[this.span]);
    return !stops || (!isOver && !player.atLast() && this.pair.clock.mayGo(player));
  }

  // The events that come next are held.
  async held(player) {
    const { events, done } = player.stage;
    const end = Math.min(player.position + AHEAD, player === this.stage.player ? this.to : Infinity, done ?? Infinity);
    while (events.gap(player.position) < end) {
      player.fetch();
      await this.wait(WAIT);
    }
  }

  // -- its pictures ---------------------------------------------------------------------------------------------

  pictures(scale) {
    return photographed(this, scale);
  }

  // What is to be drawn of all players; who wants no motion sees the ends of scenes.
  get sight() {
    return JSON.stringify(this.pair.stages.map((each) => [each.player.position, each.moment().act, each.moment().t]));
  }

  draw() {
    for (const each of this.pair.stages) each.draw();
  }
}
