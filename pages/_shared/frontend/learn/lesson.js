// A lesson: its steps, its picture, its live numbers and its guesses. What it computes and draws is in `lessons/`.

import { write } from "../layout.js";
import { Picture } from "../marks/picture.js";
import { clamp } from "../numbers.js";
import { SVG } from "../svg.js";
import { Drag } from "./drag.js";
import { Guess } from "./guess.js";

const LASTS = 900; // milliseconds that the motion of a step takes

export class Lesson {
  // A lesson may override:
  // - `drags`: by name, the numbers that are dragged: `value`, `low`, `high`, `step`, `label`, perhaps `words`;
  // - `guesses`: by name, `options()`, the words of each; `judge(k)`: whether option k is `right`, and `why`;
  // - `facts()`: the live numbers by name, as texts;
  // - `marks(size)`: what is drawn now, in a picture of some width and height;
  // - `answered(name)`: what changes when a guess has been committed to;
  // - `says()`: the picture in words, for those who do not see it.
  constructor(page, section) {
    Object.assign(this, { page, section, slug: section.dataset.lesson, isNear: false });
    Object.assign(this, { at: 0, ahead: 0, begun: null, moved: 1, frame: 0 });
    this.$ = (selector) => section.querySelector(selector);
    this.steps = [...section.querySelectorAll(".step")];
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "group");
    this.$("figure").append(this.svg);
    this.picture = new Picture(this.svg, this.slug, page.tip);
    this.drags = {};
    this.guesses = {};
    this.begin(globalThis.benderLab.world);
    this.numbers = this.all("[data-drag]", (element) => new Drag(element, this.drags[element.dataset.drag], this));
    this.asks = this.all("[data-guess]", (element) => new Guess(element, this.guesses[element.dataset.guess], this));
    this.point();
    this.remember();
    this.draw();
  }

  // Pictures far away are drawn when the reader comes near: the first one is seen the sooner.
  approach() {
    this.isNear = true;
    this.draw();
  }

  // Set up `drags`, `guesses` and all else from what has been recorded.
  begin() {}

  facts() {
    return {};
  }

  marks() {
    return [];
  }

  answered() {}

  says() {
    return this.$("h2").textContent;
  }

  all(selector, make) {
    return [...this.section.querySelectorAll(selector)].map(make);
  }

  // The value of a number that is dragged.
  get(name) {
    return this.drags[name].value;
  }

  set(name, value) {
    const { low, high, step } = this.drags[name];
    this.drags[name].value = clamp(Math.round(value / step) * step, low, high);
    this.draw();
  }

  // The step that the picture shows: none that is veiled.
  get shownAt() {
    const at = Math.max(this.at, this.ahead);
    const first = this.steps.findIndex((step) => step.classList.contains("veiled"));
    return first < 0 ? at : Math.min(at, first - 1);
  }

  // Its name, and whether it, or a later one, is shown.
  get step() {
    return this.steps[this.shownAt].dataset.step;
  }

  reached(name) {
    return this.shownAt >= this.steps.findIndex(({ dataset }) => dataset.step === name);
  }

  // A guess that was right once is not asked again.
  remember() {
    if (this.page.done.has(this.slug)) for (const ask of this.asks) ask.show();
    this.veil();
  }

  // What follows a guess gives its answer away: until then it is veiled.
  veil() {
    let veiled = false;
    for (const step of this.steps) {
      step.classList.toggle("veiled", veiled);
      veiled ||= this.asks.some(({ element, isOver }) => !isOver && step.contains(element));
    }
  }

  // Show a step that is used before it is entered.
  lead(step) {
    this.ahead = Math.max(this.ahead, this.steps.indexOf(step));
  }

  // Lead to the guess that is to be made before it goes on.
  askFirst() {
    this.asks.find(({ isOver }) => !isOver).focus();
  }

  // Whether a guess has been committed to: what it is about may be seen.
  isGuessed(name) {
    return this.asks.find((guess) => guess.name === name).isOver;
  }

  get lasts() {
    return LASTS;
  }

  enter(at, plays) {
    Object.assign(this, { at, ahead: 0 });
    this.play(plays);
  }

  play(plays = true) {
    this.begun = plays && !this.page.still.matches ? performance.now() : null;
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.frame);
    // The share of the present motion that is over: of a step that was entered, or a guess that was made.
    this.moved = this.begun === null ? 1 : clamp((performance.now() - this.begun) / this.lasts, 0, 1);
    const facts = this.facts();
    for (const element of this.section.querySelectorAll("[data-value]")) write(element, facts[element.dataset.value]);
    for (const each of [...this.numbers, ...this.asks]) each.draw();
    this.svg.setAttribute("aria-label", this.says());
    if (!this.isNear) return;
    const size = this.page.sizes.of(this.svg);
    if (size.width) this.picture.draw(this.marks(size));
    if (this.moved < 1) this.frame = requestAnimationFrame(() => this.draw());
    else this.begun = null;
  }

  // A place in the text points at what it is about in the picture.
  point() {
    for (const element of this.section.querySelectorAll("[data-points]")) {
      const shine = (on) => () => {
        for (const mark of this.svg.querySelectorAll(`[data-mark^="${element.dataset.points}"]`)) {
          mark.toggleAttribute("data-lit", on);
        }
      };
      element.onpointerenter = shine(true);
      element.onpointerleave = shine(false);
    }
  }
}
