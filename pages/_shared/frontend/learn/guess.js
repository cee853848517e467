// A question before an answer is seen: the reader commits to an option, the lesson judges it and says why.

import { html } from "../html.js";
import { write } from "../layout.js";

const SHINES = 1200; // milliseconds

export class Guess {
  constructor(element, spec, lesson) {
    // `guessed`: the option chosen; null if the answer was looked up.
    Object.assign(this, { element, spec, lesson, page: lesson.page, guessed: null, isOver: false });
    this.name = element.dataset.guess;
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", element.textContent);
    this.buttons = spec.options().map((text, k) => {
      const button = html("button", { type: "button" }, text);
      button.onclick = () => this.commit(k);
      return button;
    });
    this.box = html("div", { class: "options" }, ...this.buttons);
    this.verdict = html("p", { class: "verdict", role: "status", tabindex: -1 });
    this.skip = html("button", { type: "button", class: "skip" }, "Show me");
    this.skip.onclick = () => this.commit(null);
    element.append(this.box, this.verdict, this.skip);
  }

  // Lead the eye and the keyboard to it.
  focus() {
    this.element.scrollIntoView({ block: "nearest" });
    this.element.animate({ outline: ["4px solid currentColor", "4px solid transparent"] }, SHINES);
    this.buttons[0].focus({ preventScroll: true });
  }

  // To an option, or, null, to none of them.
  commit(k) {
    if (this.isOver) return;
    this.guessed = k;
    this.lesson.answered(this.name);
    this.show();
    const { page, lesson } = this;
    if (k !== null && this.spec.judge(k).right) page.done.add(lesson.slug);
    lesson.veil();
    page.say(lesson.slug);
    lesson.play();
    this.verdict.focus({ preventScroll: true });
    this.verdict.scrollIntoView({ block: "nearest" });
  }

  // The answer, by the numbers as they are now.
  show() {
    this.isOver = true;
    this.skip.remove();
    const judged = this.buttons.map((_, each) => this.spec.judge(each));
    this.buttons.forEach((button, each) => {
      button.disabled = true;
      button.classList.toggle("chosen", each === this.guessed);
      button.classList.toggle("right", judged[each].right);
    });
    const { right, why } = judged[this.guessed ?? judged.findIndex((each) => each.right)];
    const opening = this.guessed === null ? "The answer: " : right ? "Right: " : "Not so: ";
    write(this.verdict, `${opening}${why}`);
  }

  // Options may say live numbers.
  draw() {
    this.spec.options().forEach((text, k) => write(this.buttons[k], text));
    if (this.isOver) this.show();
  }
}
