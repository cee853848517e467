// A question before an answer is seen: the reader commits to an option, the lesson judges it and says why.

import { write } from "../layout.js";

const make = (parent, tag, attributes = {}, text = "") => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.textContent = text;
  parent.append(element);
  return element;
};

export class Guess {
  constructor(element, spec, lesson) {
    // `guessed`: the option chosen; null if the answer was looked up.
    Object.assign(this, { element, spec, lesson, page: lesson.page, guessed: null, isOver: false });
    this.name = element.dataset.guess;
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", element.textContent);
    this.box = make(element, "div", { className: "options" });
    this.verdict = make(element, "p", { className: "verdict" });
    this.verdict.setAttribute("role", "status");
    this.verdict.tabIndex = -1;
    this.buttons = spec.options().map((text, k) => {
      const button = make(this.box, "button", { type: "button" }, text);
      button.onclick = () => this.commit(k);
      return button;
    });
    this.skip = make(element, "button", { type: "button", className: "skip" }, "Show me");
    this.skip.onclick = () => this.commit(null);
  }

  focus() {
    this.element.scrollIntoView({ block: "nearest" });
    this.buttons[0].focus({ preventScroll: true });
  }

  // To an option, or, null, to none of them.
  commit(k) {
    if (this.isOver) return;
    this.guessed = k;
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
