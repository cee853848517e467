// Learn: one page on which an example grows into the method. Its prose is in learn.html; a section is a lesson with a
// picture, live numbers and guesses, and goes on by steps, which are scrolled to or pressed.

import { Departure, SOON } from "../departure.js";
import { Sizes } from "../layout.js";
import { dress, isDark } from "../palette.js";
import { Tip } from "../tip.js";
import { Bound } from "./lessons/bound.js";
import { Envelope } from "./lessons/envelope.js";
import { Friends } from "./lessons/friends.js";
import { Groups } from "./lessons/groups.js";
import { Kinds } from "./lessons/kinds.js";
import { Loop } from "./lessons/loop.js";
import { Message } from "./lessons/message.js";
import { Pose } from "./lessons/pose.js";
import { Proof } from "./lessons/proof.js";
import { Recycle } from "./lessons/recycle.js";
import { Row } from "./lessons/row.js";
import { Saving } from "./lessons/saving.js";
import { Story } from "./story.js";

const LESSONS = {
  ...{ friends: Friends, loop: Loop, groups: Groups, message: Message, row: Row, envelope: Envelope, saving: Saving },
  ...{ kinds: Kinds, recycle: Recycle, bound: Bound, proof: Proof, pose: Pose },
};

const THEME = 500; // milliseconds between two looks at the colours of the page

class Learn {
  constructor(root) {
    Object.assign(this, { root, departure: new Departure(root) });
    this.$ = (selector) => root.querySelector(selector);
    this.$$ = (selector) => root.querySelectorAll(selector);
    this.tip = new Tip(this.$(".tip"), root);
    this.sizes = new Sizes(() => this.redraw());
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.followTheme();
  }

  // `seconds`: the times of this machine, null until measured;
  // `lesson`: the one to begin with; `done`: those whose guesses were right.
  receive(data, send) {
    Object.assign(this, { data, send });
    if (!this.lessons) return this.begin(data);
    // The browser remembers more than the server, which says so once.
    if (data.lesson !== this.opened && !this.said.has(data.lesson)) this.open(data.lesson);
    for (const slug of data.done) this.done.add(slug);
    for (const lesson of this.lessons) lesson.remember();
    return this.redraw();
  }

  begin({ lesson, done }) {
    Object.assign(this, { done: new Set(done), said: new Set() });
    this.lessons = Array.from(
      this.$$("[data-lesson]"),
      (section) => new LESSONS[section.dataset.lesson](this, section),
    );
    this.story = new Story(this);
    this.open(lesson);
  }

  open(lesson) {
    this.opened = lesson;
    this.story.open(lesson);
  }

  redraw() {
    for (const lesson of this.lessons ?? []) lesson.draw();
  }

  // Python writes the lesson and the progress into the address.
  say(lesson) {
    clearTimeout(this.later);
    this.said.add(lesson);
    if (!this.root.isConnected) return;
    if (this.departure.isNear) this.later = setTimeout(() => this.say(lesson), SOON);
    else this.send("progress", { lesson, done: [...this.done] });
  }

  dress() {
    dress(this.root, this.dark);
    this.root.classList.toggle("dark", this.dark);
  }

  followTheme() {
    this.dark = isDark(this.root);
    this.dress();
    const timer = setInterval(() => {
      if (!this.root.isConnected) return clearInterval(timer);
      if (isDark(this.root) === this.dark) return null;
      this.dark = !this.dark;
      this.dress();
      return this.redraw();
    }, THEME);
  }
}

export const receive = (root, data, send) => {
  root.learn ??= new Learn(root);
  root.learn.receive(data, send);
};
