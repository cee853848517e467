// The run in numbers and words: the lines above the panes and below them.

import { gapText } from "../gap.js";
import { number, short } from "../text.js";
import { KIND } from "./frames.js";

const CUT = 260; // characters that may be too many for the lines of a sentence: then its tip has all of it
const OWN = 24; // characters of the name of the source's own terms
const OPENING =
  "Every group starts on its own, all messages are 0. Press Play, or step row by row, and watch the lower bound rise.";
const RUNNING = "Running at full speed. Stop whenever you like; every event can be revisited afterwards.";

export class Status {
  constructor(stage) {
    this.stage = stage;
    this.lesson = null;
  }

  set(name, text) {
    this.stage.$(`[data-out=${name}]`).textContent = text;
  }

  title({ model, title }) {
    const line = this.stage.$(".status .title");
    line.title = model + title;
    [line.children[0].textContent, line.children[1].textContent] = [model, title];
  }

  draw(event) {
    const { stage } = this;
    const { running, player } = stage;
    const known = running || event || (player.position === 0 ? stage.graph : this.nearest());
    this.set("lower", number(known.lower));
    this.set("upper", number(known.upper));
    this.set("gap", gapText(known.lower, known.upper, stage.graph.scale, 2));
    this.set("rows", this.rows(event));
    this.set("state", stage.data.failure || this.doing());
    this.own(known);
    this.place(event);
    this.controls();
    this.narrate(event);
    stage.root.dataset.position = String(player.position);
    const idle = stage.questions.waiting ? "waiting" : "idle";
    stage.root.dataset.state = running ? "running" : player.playing ? "playing" : idle;
  }

  // The bounds in the terms of the source, if these are not energies.
  own(known) {
    const { objective } = this.stage.graph;
    const out = this.stage.$("[data-out=own]");
    out.hidden = !objective;
    if (!objective) return;
    const value = (energy) => number(objective.scale * energy + objective.offset);
    const limit = objective.sense === "max" ? "at most" : "at least";
    out.title = objective.name;
    out.textContent = `${short(objective.name, OWN)} ${value(known.upper)}, ${limit} ${value(known.lower)}`;
  }

  rows(event) {
    const { running, player, events } = this.stage;
    if (running) return running.total_rows;
    if (event) return event.total_rows;
    return player.position === 0 && events.origin ? events.origin.rows.reduce((a, b) => a + b, 0) : "…";
  }

  doing() {
    const { running, stopping, player, ending } = this.stage;
    if (running) return stopping ? "stopping…" : "running…";
    if (player.atEnd()) return ending;
    return player.playing ? "playing" : "paused";
  }

  // The event that ends a run belongs to no sweep: what counts is the one before.
  place(event) {
    const { running, player, events } = this.stage;
    const finished = event && event.kind === KIND.FINISHED;
    const { sweep } = running || (finished && events.get(player.position - 2)) || event || { sweep: 0 };
    const count = running ? running.events : player.position;
    this.stage.$(".where").textContent = `sweep ${sweep + 1} · event ${count}`;
    const scrub = this.stage.$(".scrub");
    scrub.max = player.seen;
    scrub.value = count;
    scrub.disabled = Boolean(running);
  }

  controls() {
    const { stage } = this;
    const { player } = stage;
    const [busy, ended] = [Boolean(stage.running), player.atEnd()];
    const disable = (selector, disabled) => {
      for (const control of stage.root.querySelectorAll(selector)) control.disabled = disabled;
    };
    disable("[data-step], [data-act=play]", busy || ended);
    disable("[data-back], [data-act=reset]", busy || player.position === 0);
    disable("[data-act=run]", !busy && ended);
    stage.$("[data-act=play]").textContent = player.playing ? "❚❚ Pause" : "▶ Play";
    stage.$("[data-act=run]").textContent = busy ? "■ Stop" : "run ▶|";
  }

  narrate(event) {
    const { stage } = this;
    const { running, graph } = stage;
    const said = event ? event.sentence : stage.player.position === 0 ? OPENING : "…";
    const sentence = running ? RUNNING : said;
    Object.assign(stage.$(".sentence"), { textContent: sentence, title: sentence.length > CUT ? sentence : "" });
    stage.$(".formula").textContent = event && !running ? event.formula : "";
    const [lesson, title] = graph.lessons[event ? event.kind : KIND.SWEEP];
    if (lesson === this.lesson) return;
    this.lesson = lesson;
    Object.assign(stage.$(".why"), { textContent: `Learn: ${title} →`, href: `learn?lesson=${lesson}` });
  }

  // Bounds at a position whose event is not held: the nearest point of the history.
  nearest() {
    const { history, player } = this.stage;
    const k = history.event.findIndex((event) => event >= player.position);
    return k < 0 ? { lower: null, upper: null } : { lower: history.lower[k], upper: history.upper[k] };
  }
}
