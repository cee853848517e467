// Two runs on one clock: a second stage beside the first, whose graph, ground and message are drawn on the same axes.

import { enterFilm, leaveFilm } from "../play/filming.js";
import { Clock } from "./clock.js";
import { Race } from "./race.js";

const WIDER = 4; // how many times wider a common axis may be than the wider of the two

export class Pair {
  constructor(first) {
    Object.assign(this, { first, second: null, isJoining: false, drawing: false });
    this.said = new Map(); // the questions that wait to be sent, by stage
    this.seen = new Map(); // what the other one depends on, by stage
    this.blank = first.root.cloneNode(true);
    this.clock = new Clock(this);
    this.race = new Race(this);
    first.$("[data-act=pair]").onclick = () => this.toggle();
  }

  get stages() {
    return this.second ? [this.first, this.second] : [this.first];
  }

  // The stage beside one; null if that is alone.
  other(stage) {
    return this.second && (stage === this.first ? this.second : this.first);
  }

  toggle() {
    this.clock.pause();
    this.first.questions.ask(this.second ? "alone" : "pair");
  }

  // Data have come, for one run or both.
  receive({ beside, has_same_groups }) {
    this.hasSameGroups = has_same_groups;
    if (Boolean(beside) !== Boolean(this.second)) this.turn(Boolean(beside));
    if (this.second) this.receiveSecond(beside);
    // The address names the place of both.
    const isAtRest = this.stages.every(({ questions, running }) => !questions.waiting && !running);
    if (isAtRest) this.first.leaving.stateAddress();
  }

  receiveSecond(beside) {
    const { first, second } = this;
    const isNew = second.run !== beside.run;
    second.receive(beside);
    // The first may have gone on while the second was made.
    this.isJoining ||= isNew && beside.clocked.placed_at !== null && beside.clocked.placed_at !== first.player.position;
    if (this.isJoining && !first.questions.waiting) {
      this.isJoining = false;
      second.questions.ask("join");
    }
    this.goOn();
    this.race.draw();
  }

  // What was pressed while the second was on its way; if the first plays, both do.
  goOn() {
    const { first, second, clock } = this;
    if (this.isJoining || second.questions.waiting) return;
    clock.goOn();
    if (first.player.playing && !second.player.playing && !second.player.atLast()) second.player.play();
  }

  // Put a second stage beside the first, or take it away.
  turn(on) {
    const { first, blank } = this;
    this.isJoining = false;
    if (on) {
      const root = blank.cloneNode(true);
      root.hidden = false;
      root.classList.add("second");
      for (const named of [root, root.querySelector(".run")]) named.ariaLabel = `Beside: ${named.ariaLabel}`;
      first.root.after(root);
      this.second = first.beside(root);
    } else {
      this.second.root.remove();
      this.second = null;
    }
    first.root.parentElement.classList.toggle("paired", on);
    first.$(".pane.race").hidden = !on;
    this.clock.begin();
    this.race.begin();
    if (on) Object.assign(this.second.player, { speed: first.player.speed, mode: first.player.mode });
    first.panes.layout();
  }

  // Questions of both go to Python together, as of two in a row it sees only the later.
  say(stage, command) {
    if (!this.second) return this.send("command", command);
    if (!this.said.size) queueMicrotask(() => this.sayBoth());
    this.said.set(stage, command);
  }

  sayBoth() {
    const { first, second, said } = this;
    const of = (stage) => said.get(stage) ?? stage.questions.standing();
    const isBoth = second && (said.has(second) || second.run !== null);
    this.send("command", isBoth ? { ...of(first), beside: of(second) } : of(first));
    said.clear();
  }

  // The first jumps: presses that still wait are dropped.
  jump() {
    this.clock.begin();
    this.join();
  }

  // The first has gone to another place; the second follows as soon as Python knows it.
  join() {
    this.isJoining = this.second !== null;
    this.second?.player.stop();
  }

  // Whether the answer to a step is still to come.
  get isAwaiting() {
    return this.stages.some(({ player }) => player.awaited?.grain);
  }

  // A film of both begins.
  enterFilm() {
    for (const { player } of this.stages) enterFilm(player);
  }

  // It ends, or the page is left; returns whether there was one.
  leaveFilm() {
    return this.stages.map(({ player }) => leaveFilm(player)).some(Boolean);
  }

  // -- what both share -----------------------------------------------------------------------------------------

  // Whether both update the same groups in the same order.
  get hasSameUpdates() {
    const [one, two] = this.stages.map(({ data }) => data?.bar.now.schedule);
    return this.hasSameGroups && one === two;
  }

  // Whether both update the same group now.
  get isSameUpdate() {
    const [one, two] = this.stages.map((stage) => stage.moment()?.update?.node ?? -1);
    return this.second !== null && this.hasSameGroups && one >= 0 && one === two;
  }

  // The end of the scale of tension for both graphs, given that of one.
  commonTop(stage, own) {
    stage.ownTop = own;
    return Math.max(own, this.other(stage)?.ownTop ?? 0);
  }

  // The range of energies for both grounds, given that of one.
  commonRange(stage, own) {
    const other = this.other(stage)?.charts.energy.own;
    if (!other || !this.isSameUpdate) return own;
    const both = [Math.min(own[0], other[0]), Math.max(own[1], other[1])];
    const span = ([low, high]) => high - low;
    return span(both) <= WIDER * Math.max(span(own), span(other)) ? both : own;
  }

  // The same for a message that both show.
  commonRangeOfMessage(stage, own) {
    const message = this.other(stage)?.charts.message;
    if (!message?.ownRange || !this.isSameUpdate || message.arc !== stage.charts.message.arc) return own;
    return [Math.min(own[0], message.ownRange[0]), Math.max(own[1], message.ownRange[1])];
  }

  // The message that a stage follows because the other one shows it; −1: it chooses. A run without rows follows.
  arcOf(stage) {
    const leads = this.first.graph?.exact && this.second ? this.second : this.first;
    return this.isSameUpdate && stage !== leads ? leads.charts.message.arc : -1;
  }

  // What the other one's envelope of the same message is at states: a map, or null.
  partsBeside(stage, arc) {
    const message = this.other(stage)?.charts.message;
    return message && this.isSameUpdate && message.arc === arc ? message.parts : null;
  }

  // What is chosen for the pictures of the first holds for both.
  mirror() {
    const { first, second } = this;
    const { distance, whole } = first.charts.energy;
    Object.assign(second.charts.energy, { distance, whole });
    second.charts.exact.on = first.charts.exact.on;
    if (second.panes.view !== first.panes.view) second.panes.turn(first.panes.view);
    if (second.panes.measure === first.panes.measure) return;
    second.panes.measure = first.panes.measure;
    second.questions.renew();
  }

  // Charts of one have been drawn. The other depends on them; where it moves, its next frame comes anyway.
  drawn(stage) {
    const other = this.other(stage);
    if (!other || other.run === null || this.drawing) return;
    this.race.draw();
    if (stage === this.first) this.mirror();
    const { energy, message } = stage.charts;
    const looks = [energy.distance, energy.whole, stage.charts.exact.on];
    const { ownRange, arc, parts } = message;
    const drawn = [stage.ownTop, energy.own, looks, ownRange, arc, [...(parts ?? [])]];
    const now = JSON.stringify(drawn);
    const before = this.seen.get(stage);
    this.seen.set(stage, now);
    if (before !== now && !other.player.scene) {
      this.drawing = true;
      other.draw();
      this.drawing = false;
    }
  }

  // Something was chosen on one of them that holds for both.
  both(stage, act) {
    for (const each of this.hasSameGroups ? this.stages : [stage]) act(each);
  }
}
