// A number in the text that is dragged sideways, or moved by the arrow keys.

import { follow } from "../pressing.js";
import { number } from "../text.js";

const WIDTH = 180; // pixels from the lowest value to the highest
const BY = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3 };

export class Drag {
  constructor(element, spec, lesson) {
    Object.assign(this, { element, spec, lesson, name: element.dataset.drag });
    const { low, high, label } = spec;
    const states = { role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": low, "aria-valuemax": high };
    for (const [key, value] of Object.entries(states)) element.setAttribute(key, value);
    element.onpointerdown = (event) => this.grab(event);
    element.onkeydown = (event) => this.press(event);
    this.draw();
  }

  grab(event) {
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    const [from, x] = [this.spec.value, event.clientX];
    const { low, high } = this.spec;
    this.element.classList.add("held");
    follow(
      ({ clientX }) => this.set(from + ((clientX - x) / WIDTH) * (high - low)),
      () => this.element.classList.remove("held"),
    );
  }

  press(event) {
    const { value, low, high, step } = this.spec;
    const to = { Home: low, End: high }[event.key] ?? (BY[event.key] && value + BY[event.key] * step);
    if (to === undefined) return;
    event.preventDefault();
    this.set(to);
  }

  // The picture shows the step of a number that is moved.
  set(value) {
    this.lesson.lead(this.element.closest(".step"));
    this.lesson.set(this.name, value);
  }

  draw() {
    const { value, words = number } = this.spec;
    const text = words(value);
    if (this.element.textContent === text) return;
    this.element.textContent = text;
    this.element.setAttribute("aria-valuenow", value);
    this.element.setAttribute("aria-valuetext", text);
  }
}
