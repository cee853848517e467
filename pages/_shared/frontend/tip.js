// The tip: a few lines about the element under the pointer or with the keyboard focus.

const BESIDE = 14; // pixels from the pointer
const LONGEST = 160; // characters of a line
const STAYS = 3000; // milliseconds
const DOWN = 60; // pixels, at most, from the top of the focused element

export class Tip {
  // `element` lies in `frame`, and stays within it by a margin in pixels.
  constructor(element, frame, margin = 0) {
    Object.assign(this, { element, frame, margin });
  }

  hide() {
    this.element.hidden = true;
  }

  // The pointer has left. A finger leaves as soon as it has come: then the lines stay for some time.
  leave({ pointerType }) {
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.hide(), pointerType === "touch" ? STAYS : 0);
  }

  // Show the tip at a position in the window; the first line is the title.
  show(x, y, lines) {
    const { element, margin } = this;
    clearTimeout(this.leaving);
    element.hidden = false;
    element.replaceChildren(
      ...lines.map((line, k) => {
        const row = document.createElement("div");
        row.textContent = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
        if (k === 0) row.style.fontWeight = 600;
        return row;
      }),
    );
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    element.style.left = `${Math.max(0, Math.min(x - left + BESIDE, width - element.offsetWidth - margin))}px`;
    element.style.top = `${Math.min(y - top + BESIDE, height - element.offsetHeight - margin)}px`;
  }

  // Show `lines()` while an element is under the pointer or has the keyboard focus.
  explain(element, lines) {
    element.onpointerenter = (event) => this.show(event.clientX, event.clientY, lines());
    element.onpointerleave = (event) => this.leave(event);
    // An SVG element that listens for the focus is a stop of the keyboard, whatever its tabindex.
    if (!element.hasAttribute("tabindex")) return;
    element.onblur = () => this.hide();
    element.onfocus = () => {
      if (!element.matches(":focus-visible")) return;
      const { x, y, width, height } = element.getBoundingClientRect();
      this.show(x + width / 2, y + Math.min(height, DOWN), lines());
    };
  }
}
