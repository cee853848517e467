// A talk: Python has its moments, which are addresses of the stage. A presenter's keys go through them, and a window
// for another screen shows the notes.

import { fieldsOf } from "../fields.js";
import { isLecture } from "../lecture.js";
import { Notes } from "./notes.js";
import { wear } from "./play/choices.js";

// What outlives the stage, which may be mounted anew: how many moments have been shown, and the notes' window and when
// it was opened.
globalThis.benderLab.talk ??= { turn: null, window: null, begun: null, timer: null };
const given = globalThis.benderLab.talk;

const STEPS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };

export class Talk {
  constructor(stage) {
    this.stage = stage;
    this.talk = null;
    this.target = null; // the moment that was asked for and has not come
    this.notes = new Notes(given, (event) => this.press(event));
  }

  // Data have come. `latest`: they answer the latest question.
  hear({ talk }, latest) {
    this.talk = talk;
    given.turn = talk && (given.turn ?? talk.turn);
    if (!talk) return;
    if (talk.at < 0) given.turn = talk.turn; // another talk
    this.notes.draw(talk);
    if (!latest || this.stage.running) return; // on the way to the moment
    // A press may be lost where the run changes; only the last one of several counts anyway.
    if (this.target !== null && this.target !== talk.at) return this.go(this.target);
    this.target = null;
    if (given.turn === talk.turn) return;
    given.turn = talk.turn;
    this.show(fieldsOf(talk.query));
  }

  // The picture of a moment, whose run is shown.
  show(fields) {
    const { stage } = this;
    stage.arc = Number(fields.arc ?? -1);
    wear(stage, fields);
    stage.panes.layout();
    stage.questions.renew();
  }

  // Take a key; returns whether it goes through the talk, or opens the notes.
  press({ key, altKey, shiftKey }) {
    if (!this.talk || altKey || shiftKey) return false;
    if (key.toLowerCase() === "n") this.notes.open(this.talk);
    else if (key in STEPS && (isLecture() || this.notes.isOpen)) this.step(STEPS[key]);
    else return false;
    return true;
  }

  step(by) {
    this.go((this.target ?? this.talk.at) + by);
  }

  go(number) {
    const { stage, talk } = this;
    this.target = Math.min(Math.max(number, 0), talk.count - 1);
    stage.player.stop();
    stage.questions.ask("moment", { moment: this.target });
  }
}
