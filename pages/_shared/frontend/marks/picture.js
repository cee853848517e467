// A picture: a list of marks on an SVG. Marks keep their elements by id, so that only what differs is changed, and
// the list says what is drawn and what it means.

import { SVG } from "../svg.js";
import { pressable } from "../pressing.js";

// What is no attribute of an element.
const SAID = new Set(["id", "shape", "text", "means", "tip", "press"]);

const attributes = (mark) => {
  const entries = Object.entries(mark).filter(([key, value]) => !SAID.has(key) && value !== null && value !== false);
  return new Map(entries.map(([key, value]) => [key, typeof value === "number" ? short(value) : String(value)]));
};

// Hundredths of a pixel are not seen.
const short = (value) => String(Math.round(value * 100) / 100);

export class Picture {
  // `tip` shows the lines of marks that have some.
  constructor(svg, name, tip = null) {
    Object.assign(this, { svg, name, tip, held: new Map(), marks: [] });
  }

  // Draw exactly these marks, the last on top.
  draw(marks) {
    this.marks = marks.filter(Boolean);
    const gone = new Map(this.held);
    let before = null;
    for (const mark of this.marks) {
      const kept = gone.get(mark.id);
      gone.delete(mark.id);
      const holder = kept?.shape === mark.shape ? kept : this.make(mark, kept);
      this.change(holder, mark);
      const next = before ? before.nextElementSibling : this.svg.firstElementChild;
      if (next !== holder.element) this.svg.insertBefore(holder.element, next);
      before = holder.element;
    }
    for (const [id, { element }] of gone) {
      element.remove();
      this.held.delete(id);
    }
  }

  make({ id, shape }, kept) {
    kept?.element.remove();
    const element = document.createElementNS(SVG, shape);
    const holder = { shape, element, set: new Map(), text: null, mark: null };
    element.dataset.mark = id;
    this.held.set(id, holder);
    return holder;
  }

  change(holder, mark) {
    const { element, set } = holder;
    const wanted = attributes(mark);
    for (const [key, value] of wanted) if (set.get(key) !== value) element.setAttribute(key, value);
    for (const key of set.keys()) if (!wanted.has(key)) element.removeAttribute(key);
    holder.set = wanted;
    const text = mark.text ?? null;
    if (holder.text !== text) element.textContent = holder.text = text;
    if (Boolean(mark.tip) !== Boolean(holder.mark?.tip)) this.explain(holder, Boolean(mark.tip));
    if (Boolean(mark.press) !== Boolean(holder.mark?.press)) this.press(holder, Boolean(mark.press));
    holder.mark = mark;
  }

  // The functions of a mark are looked up when they are called: the mark may have been drawn again since.
  explain({ element }, on) {
    if (on && this.tip) this.tip.explain(element, () => this.held.get(element.dataset.mark).mark.tip());
    else element.onpointerenter = element.onpointerleave = element.onfocus = element.onblur = null;
  }

  press(holder, on) {
    const { element } = holder;
    const act = () => this.held.get(element.dataset.mark).mark.press();
    if (on && !holder.pressable) pressable(element, act);
    holder.pressable = true;
    element.onclick = on ? act : null;
  }

  // What is drawn, as plain values.
  list() {
    return this.marks.map(({ tip, press, ...said }) => ({
      picture: this.name,
      ...said,
      pressable: Boolean(press),
      told: Boolean(tip),
    }));
  }
}
