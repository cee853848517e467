// Operations that make the browser lay out the page: sizes are measured, and texts written, only after a change.

import { measured } from "./screen.js";

export class Sizes {
  // `changed` is called when one of the elements measured has another size.
  constructor(changed) {
    this.known = new Map();
    this.observer = new ResizeObserver(() => {
      this.forget();
      changed();
    });
  }

  of(element) {
    if (!this.known.has(element)) this.observer.observe(element);
    const size = this.known.get(element) ?? measured(element);
    this.known.set(element, size);
    return size;
  }

  // These elements are gone.
  drop(root) {
    for (const element of this.known.keys()) {
      if (!root.contains(element)) continue;
      this.observer.unobserve(element);
      this.known.delete(element);
    }
  }

  // Something may have moved.
  forget() {
    for (const element of this.known.keys()) this.known.set(element, null);
  }
}

export const write = (element, text) => {
  const content = String(text);
  if (element.textContent !== content) element.textContent = content;
};
