// The stage's questions to Python, by the trigger "command" (`Command` in pages/_shared/watch/protocol.py), and the
// latest answer.

// The number of events requested after the present one: many if they are about to be played.
const AHEAD = { instant: 400, playing: 110, paused: 40, stopped: 0 };
const BEHIND = 8; // events before the present one that are to be held
const AFTER = 40; // milliseconds without another jump until the place is requested, while an answer is pending
const POLL = 250; // milliseconds until the first poll, while something runs in the background
const AGAIN = 2000; // milliseconds until the next poll, if no answer comes
const LOST = 4000; // milliseconds without an answer after which any other question may have been lost on the way
const WORKING = 20; // milliseconds until the progress of an answer is asked for; Python waits for the answer first

export class Questions {
  constructor(stage) {
    this.stage = stage;
    this.serial = 0;
    this.waiting = false;
    this.settling = null;
    this.due = false; // whether the stage looks at something else than requested
  }

  // A stage that has just been mounted, while an answer to an earlier one was on its way, requests everything.
  askForAll(run, send) {
    const { measure } = this.stage.panes;
    const nothing = { at: 0, arc: -1, first: 0, goes_on: false, has_graph: false, more: false, answered: -1 };
    send("command", { do: "poll", ...nothing, ahead: AHEAD.paused, measure, run, serial: 0 });
  }

  // Data have come: whether they answer the latest question. An answer to an earlier one leaves the latest open, also
  // one that is about to be sent. While the answer is being computed, the same question asks for its progress.
  hear({ serial, working, frames }, fresh) {
    if (fresh) Object.assign(this, { serial, open: null, answered: -1 });
    const latest = fresh || (this.settling === null && serial === this.serial);
    this.waiting = !latest || working !== null;
    if (latest) clearTimeout(this.lost);
    if (latest && working !== null) this.sayIn(WORKING);
    if (latest && frames) this.answered = serial;
    return !this.waiting;
  }

  ask(what, more = {}) {
    if (this.stage.leaving.soon()) return;
    clearTimeout(this.settling);
    this.settling = null;
    this.serial += 1;
    this.waiting = true;
    this.due = false;
    this.open = this.question(what, more);
    this.say();
  }

  // Another message is pinned, or another measure chosen. A step that is being computed continues: the step's question
  // states the new choice, whose data are requested afterwards.
  renew() {
    const { player, arc, panes } = this.stage;
    this.due = player.awaited !== null;
    if (this.due) Object.assign(this.open, { arc, measure: panes.measure });
    else this.ask("show");
  }

  // Request the data of an event that an open pane lacks, if nothing has moved for some time; the same data only once.
  // `lacks`: the missing data as a text, or null.
  atRest(pane, milliseconds, lacks) {
    clearTimeout(pane.asking);
    pane.asking = setTimeout(() => {
      const { player, running, root } = this.stage;
      if (!pane.open || running || player.playing || player.scene || !root.isConnected) return;
      if (this.waiting) return this.atRest(pane, milliseconds, lacks);
      const missing = lacks(player.position);
      if (missing === null || missing === pane.requested) return;
      pane.requested = missing;
      this.renew();
    }, milliseconds);
  }

  catchUp() {
    if (this.due) this.ask("show");
  }

  question(what, more) {
    const { player, arc, run, panes, events, list } = this.stage;
    const { measure } = panes;
    const [at, first, ahead] = [player.position, this.firstMissing(), this.ahead(what)];
    const holds = { first, goes_on: events.has(first - 1), has_graph: true, more: player.playing };
    const looks = { measure, lines: list.request(), ...this.stage.drawer.request() };
    return { do: what, at, arc, ...holds, ahead, ...looks, run, serial: this.serial, answered: this.answered, ...more };
  }

  // The question that awaits its answer, or else one that asks for nothing.
  standing() {
    const { answered } = this;
    return this.waiting && this.open ? { ...this.open, answered } : this.question("poll", {});
  }

  // Streamlit drops messages while the connection is down. Repeating a question does nothing twice: it states where a
  // step begins.
  say() {
    const { stage } = this;
    this.open ??= this.question("poll", {});
    stage.send("command", this.open);
    stage.status.mark();
    this.sayIn(LOST);
  }

  sayIn(milliseconds) {
    const { stage } = this;
    clearTimeout(this.lost);
    this.lost = setTimeout(() => {
      if (!this.waiting || stage.leaving.soon()) return;
      if (stage.root.isConnected) this.say();
      else if (stage.isLast()) this.comeBack();
    }, milliseconds);
  }

  // When the connection breaks, Streamlit stops the script, and removes the elements that it had not drawn yet.
  comeBack() {
    this.askForAll(this.stage.run, (...command) => this.stage.send(...command));
    this.sayIn(LOST);
  }

  // The first event that is not stored, from some way behind on: for steps back.
  firstMissing() {
    const { events, player } = this.stage;
    return events.gap(Math.max(player.position - BEHIND, 0));
  }

  ahead(what) {
    if (what === "stop") return AHEAD.stopped;
    const { playing, speed } = this.stage.player;
    if (!playing) return AHEAD.paused;
    return speed === Infinity ? AHEAD.instant : AHEAD.playing;
  }

  // The first jump is requested immediately; those that follow before its answer, when they have come to rest.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.ask("show"), this.waiting ? AFTER : 0);
    this.waiting = true;
  }

  // Poll while something runs, and again if no answer comes: of two commands sent together the server sees only the
  // later one. For the same reason a question must not replace Stop.
  poll(busy) {
    clearTimeout(this.next);
    if (busy) this.pollIn(POLL);
  }

  pollIn(milliseconds) {
    const { stage } = this;
    this.next = setTimeout(() => {
      if (!stage.root.isConnected) return;
      // A pending question is also answered with the progress.
      if (stage.running || !this.waiting) this.ask(stage.stopping ? "stop" : "poll");
      this.pollIn(AGAIN);
    }, milliseconds);
  }
}
