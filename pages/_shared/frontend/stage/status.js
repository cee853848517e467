// The run in numbers and words: the lines above the panes and below them.

import { written } from "../fields.js";
import { gapText } from "../gap.js";
import { atLeast, atMost, number, short } from "../text.js";
import { columnOf } from "./charts/sums.js";
import { KIND } from "./kinds.js";
import { write } from "../layout.js";
import { isMet } from "./play/moment.js";

const CUT = 260; // characters that may be too many for the lines of a sentence: then its tip has all of it
const OWN = 24; // characters of the name of the source's own terms
const UNKNOWN = "…"; // until the answer comes
const RUNNING = "Running at full speed. Stop whenever you like; every event can be revisited afterwards.";

export class Status {
  constructor(stage) {
    this.stage = stage;
    this.lesson = null;
  }

  set(name, text) {
    write(this.stage.$(`[data-out=${name}]`), text);
  }

  // `moment`: the moment shown; null if its events are not held.
  draw(moment) {
    this.tell(moment);
    this.place(moment);
    this.pinning(moment);
  }

  // The moment shown, in numbers and words.
  tell(moment) {
    const { stage } = this;
    const lower = moment && stage.chapters.best(moment.lower);
    this.set("lower", moment ? number(lower) : UNKNOWN);
    this.set("keeper", stage.chapters.keeper(moment));
    this.set("upper", moment ? number(moment.upper) : UNKNOWN);
    this.set("gap", moment ? gapText(lower, moment.upper, isMet(moment, stage.graph, lower), 3) : UNKNOWN);
    this.set("rows", this.rows(moment));
    this.set("undecided", this.undecided(moment));
    this.set("state", stage.data.failure || this.doing());
    if (moment) this.own(moment);
    this.narrate(moment);
  }

  // Which buttons are enabled; the place and the state, for styles and tests.
  mark() {
    const { root, player } = this.stage;
    this.controls();
    Object.assign(root.dataset, { position: player.position, state: this.stateOf() });
  }

  stateOf() {
    const { running, player, questions, panes } = this.stage;
    if (running) return "running";
    if (player.playing) return "playing";
    if (player.scene || panes.flow.isOn) return "moving";
    return questions.waiting || player.awaited ? "waiting" : "idle";
  }

  // The bounds in the source's own terms, if these are not energies; the claimed value is one that can occur.
  own({ least, upper }) {
    const { graph, chapters } = this.stage;
    const { objective } = graph;
    const out = this.stage.$("[data-out=own]");
    out.hidden = !objective;
    if (!objective) return;
    const value = (energy) => objective.scale * energy + objective.offset;
    const bound = value(Math.min(chapters.least(least), upper));
    const claim = objective.sense === "max" ? `at most ${atMost(bound)}` : `at least ${atLeast(bound)}`;
    out.title = objective.name;
    write(out, `${short(objective.name, OWN)} ${number(value(upper))}, ${claim}`);
  }

  rows(moment) {
    const { running } = this.stage;
    if (running) return running.total_rows;
    return moment ? moment.after.rows.reduce((a, b) => a + b, 0) : UNKNOWN;
  }

  // Variables of the whole model that may yet have another value in a better labelling.
  undecided(moment) {
    if (!moment?.decided) return UNKNOWN;
    const open = (members) => members.split("?").length - 1;
    const left = moment.decided.reduce((sum, members) => sum + open(members), 0);
    return `${left} of ${this.stage.chapters.all[0].variables}`;
  }

  doing() {
    const { running, working, stopping, player, events, ending } = this.stage;
    if (running || working) return stopping ? "stopping…" : (working ?? "running…");
    if (player.missed) return player.missed;
    if (this.stage.data.proving) return this.stage.data.proving;
    if ((player.position ? player.last() : events.origin)?.proven) return "optimal, proven";
    if (player.atLast()) return ending;
    return player.playing ? "playing" : player.scene ? "moving" : "paused";
  }

  // The event that ends a run belongs to no sweep: the one before counts.
  whereabouts(moment) {
    const { running, player, events, chapters } = this.stage;
    const event = moment?.after;
    const finished = event?.kind === KIND.FINISHED;
    const known = running || (finished && events.get(player.position - 2)) || event;
    const sweep = known ? (known.sweep ?? 0) + 1 : UNKNOWN;
    this.set("chapter", chapters.label);
    this.set("sweep", sweep);
    this.set("event", running ? running.events : player.position);
  }

  place(moment) {
    const { running, player, chapters } = this.stage;
    this.whereabouts(moment);
    const count = running ? running.events : player.position;
    const scrub = this.stage.$(".scrub");
    scrub.max = chapters.total;
    if (chapters.requested === null) scrub.value = chapters.along(count) * chapters.total;
    scrub.disabled = Boolean(running);
    scrub.ariaValueText = `event ${count}`;
  }

  controls() {
    const { stage } = this;
    const { clock } = stage.pair;
    const [busy, ended] = [Boolean(stage.running), clock.atLast()];
    const stops = busy || Boolean(stage.working);
    const disable = (selector, disabled) => {
      for (const control of stage.root.querySelectorAll(selector)) control.disabled = disabled;
    };
    disable("[data-step]", busy || ended);
    disable("[data-act=play]", busy);
    disable("[data-back], [data-act=reset]", busy || clock.atFirst());
    disable("[data-act=run]", !stops && ended);
    stage.finder.allow();
    write(stage.$("[data-act=play]"), clock.playing ? "❚❚ Pause" : ended ? "↻ Again" : "▶ Play");
    write(stage.$("[data-act=run]"), stops ? "■ Stop" : "run ▶|");
  }

  // Which message is shown, and whether it is pinned.
  pinning(moment) {
    const { stage } = this;
    const [shown, pinned] = [stage.follows(moment) >= 0, stage.arc >= 0];
    stage.root.classList.toggle("pinning", pinned);
    const pin = stage.$("[data-act=pin]");
    pin.hidden = stage.$(".edge [data-act=drawer]").hidden = !shown;
    stage.$("[data-act=flip]").hidden = !pinned;
    write(pin, pinned ? "pinned" : "pin");
    pin.title = pinned ? "Unpin: show the loosest message of every round" : "Keep showing this message";
    pin.setAttribute("aria-pressed", pinned);
  }

  // What the ground shows before the answer at the next y*: no event says it, and the last one was about the y* before.
  asking(moment) {
    const { graph, charts } = this.stage;
    if (moment?.act !== "floor" || moment.update === moment.after.update) return null;
    const { node, y, floor } = moment.update;
    const { bits } = columnOf(moment.update, y);
    const place = `Sweep ${(moment.after.sweep ?? 0) + 1}, ${graph.nodes[node].label}`;
    return `${place}: the cheapest state is now y* = ${bits}. It costs at least ${charts.energy.text(floor)}.`;
  }

  // What happens in the scene, from its start: pictures and sentence are of the same event.
  narrate(moment) {
    const { stage } = this;
    const { graph, running } = stage;
    const known = running ? RUNNING : moment ? (moment.after.sentence ?? graph.opening) : UNKNOWN;
    const words = this.asking(moment) ?? known;
    const line = stage.$(".sentence");
    if (line.textContent !== words) Object.assign(line, { textContent: words, title: words.length > CUT ? words : "" });
    const [lesson, title] = graph.lessons[moment?.after.kind ?? KIND.SWEEP];
    if (lesson === this.lesson) return;
    this.lesson = lesson;
    Object.assign(stage.$(".why"), { textContent: `Learn: ${title} →`, href: `learn?${written({ lesson })}` });
  }
}
