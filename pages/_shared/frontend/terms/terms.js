// Every term explains itself where it stands: under the pointer, at a tap, and to whoever walks from term to term by
// keys. Listens to the whole page, as its marks come and go.

import { isLecture } from "../lecture.js";
import { markOf, marksSeen, nameOf } from "./marked.js";
import { TermTip } from "./tip.js";

const { glossary, terms } = globalThis.benderLab;

const RESTS = 150; // milliseconds on a mark, or away from it and its tip, after which the tip comes, or goes
const WALK = "w";
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const TYPED_INTO = "input:not([type=range]), textarea, select, [contenteditable], [role^=menu], [role=option]";

// While a film is made all keys are its own.
const isFilming = () => document.documentElement.hasAttribute("data-filming");

class Terms {
  constructor() {
    this.tip = new TermTip(terms.style);
    this.walked = null; // the mark that has the keyboard focus
    this.before = null; // what had it before
    this.next = null; // the mark that the pointer has come to, or null
    const listen = (name, act, options) => addEventListener(name, act, { capture: true, ...options });
    listen("pointermove", (event) => this.point(event), { passive: true });
    listen("pointerdown", (event) => this.isElsewhere(event) && this.end());
    listen("click", (event) => this.press(event));
    listen("keydown", (event) => this.key(event));
    for (const name of ["scroll", "resize"]) listen(name, () => this.moved(), { passive: true });
  }

  show(mark) {
    clearTimeout(this.waiting);
    const name = mark.isConnected && !isLecture() ? nameOf(mark) : null;
    if (name) this.tip.show(mark, name, glossary[name], this.page);
  }

  hide() {
    clearTimeout(this.waiting);
    this.next = null;
    this.tip.hide();
  }

  // The tip goes along with its mark, as long as that is in sight.
  moved() {
    if (!this.tip.mark) return;
    const { top, bottom } = this.tip.mark.getBoundingClientRect();
    if (this.walked || (bottom > 0 && top < innerHeight)) this.tip.place();
    else this.hide();
  }

  end() {
    this.hide();
    this.walked = null;
  }

  isElsewhere(event) {
    return !markOf(event) && !event.composedPath().includes(this.tip.host);
  }

  // A mouse has moved: it can go to the tip without losing it.
  point(event) {
    if (event.pointerType === "touch" || event.buttons) return;
    const mark = event.composedPath().includes(this.tip.host) ? this.tip.mark : markOf(event);
    if (mark === this.next) return;
    this.next = mark;
    clearTimeout(this.waiting);
    // What the keyboard has opened stays.
    if (mark !== this.tip.mark && (mark || !this.walked)) {
      this.waiting = setTimeout(() => (mark ? this.show(mark) : this.hide()), RESTS);
    }
  }

  // A mark in a label opens its tip, and not the control.
  press(event) {
    const mark = markOf(event);
    if (!mark || isLecture()) return;
    if (mark.closest("label")) event.preventDefault();
    this.show(mark);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isLecture() || isFilming()) return;
    const { key } = event;
    const target = event.composedPath()[0];
    if (this.walked && target !== this.walked) this.end();
    const takes = () => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (key === "Escape" && this.tip.mark) {
      this.leave();
      takes();
    } else if (this.walked && key in STEPS) {
      this.walk(STEPS[key], target);
      takes();
    } else if (this.walked && key === "Tab") this.end();
    else if (key.toLowerCase() === WALK && !target.closest?.(TYPED_INTO)) {
      this.walk(event.shiftKey ? -1 : 1, target);
      takes();
    }
  }

  // Go to the next term, or to the one before; the first time from what has the keyboard focus to the first in sight.
  walk(step, from) {
    const marks = marksSeen();
    if (!marks.length) return;
    const name = this.walked && nameOf(this.walked);
    const at = marks.findIndex((mark) => nameOf(mark) === name);
    const first = marks.findIndex((mark) => mark.getBoundingClientRect().top >= 0);
    if (!this.walked) this.before = from;
    this.walked = marks.at(at < 0 ? Math.max(first, 0) : (at + step) % marks.length);
    this.walked.tabIndex = -1;
    this.hide();
    this.walked.focus();
    this.show(this.walked);
  }

  leave() {
    this.walked?.blur();
    if (this.walked) this.before.focus();
    this.end();
  }
}

export const receive = (root) => {
  const tab = globalThis.benderLab; // a new session in the tab sends this code again
  tab.explaining ??= new Terms();
  tab.explaining.page = root;
  root.querySelector(".walk").onclick = ({ target }) => tab.explaining.walk(1, target);
};
