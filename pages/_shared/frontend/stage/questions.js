// What the stage asks of Python, by the trigger "command" (`Command` in pages/_shared/watch/protocol.py), and which
// answer is the latest.

// How many events after the present one are asked for: many where they are about to be played.
const AHEAD = { instant: 400, playing: 110, paused: 40, stopped: 0 };
const BEHIND = 8; // events before the present one that are to be held
const AFTER = 40; // milliseconds without another jump until the place is asked for, while an answer is awaited
const POLL = 250; // milliseconds until the first question how things are, while something runs in the background
const AGAIN = 2000; // milliseconds until it is asked again, if no answer comes
const LOST = 4000; // milliseconds without an answer after which any other question may have been lost on the way
const WORKING = 200; // milliseconds until it is asked how far an answer is

export class Questions {
  constructor(stage) {
    this.stage = stage;
    this.serial = 0;
    this.waiting = false;
    this.settling = null;
    this.due = false; // whether something else is looked at than what was asked for
  }

  // A stage that is mounted anew, while an answer to an earlier one was on its way, asks for the whole.
  askForAll(run, send) {
    const { measure } = this.stage.panes;
    const nothing = { at: 0, arc: -1, first: 0, goes_on: false, has_graph: false, more: false, answered: -1 };
    send("command", { do: "poll", ...nothing, ahead: AHEAD.paused, measure, run, serial: 0 });
  }

  // Data have come: whether they answer the latest question. An answer to an earlier one leaves the latest open, also
  // one that is about to be asked. While the answer is worked on, the same question asks how far it is.
  hear({ serial, working, frames }, fresh) {
    if (fresh) Object.assign(this, { serial, asked: null, answered: -1 });
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
    this.asked = this.question(what, more);
    this.say();
  }

  // Another message is pinned, or another measure chosen. A step that is being computed goes on: it is said with that
  // step what is looked at, and asked for afterwards.
  renew() {
    const { player, arc, panes } = this.stage;
    this.due = player.awaited !== null;
    if (this.due) Object.assign(this.asked, { arc, measure: panes.measure });
    else this.ask("show");
  }

  // Ask for what a pane lacks of an event, if that is open and nothing has moved for some time; the same only once.
  // `lacks`: what that is, as a text, or null.
  atRest(pane, milliseconds, lacks) {
    clearTimeout(pane.asking);
    pane.asking = setTimeout(() => {
      const { player, running, root } = this.stage;
      if (!pane.open || running || player.playing || player.scene || !root.isConnected) return;
      if (this.waiting) return this.atRest(pane, milliseconds, lacks);
      const asked = lacks(player.position);
      if (asked === null || asked === pane.asked) return;
      pane.asked = asked;
      this.renew();
    }, milliseconds);
  }

  catchUp() {
    if (this.due) this.ask("show");
  }

  question(what, more) {
    const { player, arc, run, panes, events, list } = this.stage;
    const { measure } = panes;
    const [at, first, ahead] = [player.position, this.wanted(), this.ahead(what)];
    const holds = { first, goes_on: events.has(first - 1), has_graph: true, more: player.playing };
    const looks = { measure, lines: list.wanted(), ...this.stage.drawer.wanted() };
    return { do: what, at, arc, ...holds, ahead, ...looks, run, serial: this.serial, answered: this.answered, ...more };
  }

  // Streamlit drops what is said while the connection is down. The same question again does nothing twice: it says from
  // where a step goes.
  say() {
    const { stage } = this;
    this.asked ??= this.question("poll", {});
    stage.send("command", this.asked);
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

  // Streamlit stops what it computes when the connection breaks, and takes off the page what that had not drawn yet.
  comeBack() {
    this.askForAll(this.stage.run, this.stage.send);
    this.sayIn(LOST);
  }

  // The first event that is not held, from some way behind on: for steps back.
  wanted() {
    const { events, player } = this.stage;
    return events.gap(Math.max(player.position - BEHIND, 0));
  }

  ahead(what) {
    if (what === "stop") return AHEAD.stopped;
    const { playing, speed } = this.stage.player;
    if (!playing) return AHEAD.paused;
    return speed === Infinity ? AHEAD.instant : AHEAD.playing;
  }

  // The first jump is asked for at once; those that follow before its answer, when they have come to rest.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.ask("show"), this.waiting ? AFTER : 0);
    this.waiting = true;
  }

  // Ask how things are while something runs, and again if no answer comes: of two commands sent at once the server sees
  // the later one. For the same reason a question must not take the place of Stop.
  poll(busy) {
    clearTimeout(this.next);
    if (busy) this.pollIn(POLL);
  }

  pollIn(milliseconds) {
    const { stage } = this;
    this.next = setTimeout(() => {
      if (!stage.root.isConnected) return;
      // What is asked already says how things are, too.
      if (stage.running || !this.waiting) this.ask(stage.stopping ? "stop" : "poll");
      this.pollIn(AGAIN);
    }, milliseconds);
  }
}
