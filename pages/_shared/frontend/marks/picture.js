// A picture: a list of marks in an SVG (or of spans in a paragraph). Marks keep their elements by id, so that only what
// differs is changed, and the list says what is drawn and what it means.

// What is no attribute of an element.
const SAID = new Set(["id", "shape", "text", "means", "tip", "press", "hover"]);

// Hundredths of a pixel are not seen.
const written = (value) => (typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value));

const isSet = ([key, value]) => !SAID.has(key) && value !== undefined && value !== null && value !== false;

const attributes = (mark) =>
  new Map(
    Object.entries(mark)
      .filter(isSet)
      .map(([key, value]) => [key, written(value)]),
  );

export class Picture {
  // `tip` shows the lines of marks that have some.
  constructor(root, name, tip = null) {
    Object.assign(this, { root, name, tip, held: new Map(), marks: [] });
  }

  // Draw exactly these marks, the last on top. A mark has an `id`, a `shape` (the name of its element), attributes; it
  // may have a `text`, what it `means`, the lines of its `tip()`, and what happens at `press()` and `hover(on)`.
  draw(marks) {
    this.marks = marks.filter(Boolean);
    const gone = new Map(this.held);
    for (const { id, shape } of this.marks) if (gone.get(id)?.shape === shape) gone.delete(id);
    for (const id of gone.keys()) this.remove(id);
    let next = this.root.firstElementChild;
    for (const mark of this.marks) {
      const holder = this.held.get(mark.id) ?? this.make(mark);
      this.change(holder, mark);
      if (next === holder.element) next = next.nextElementSibling;
      else this.root.insertBefore(holder.element, next);
    }
  }

  remove(id) {
    const { element, mark } = this.held.get(id);
    if (element.matches(":hover")) {
      mark.hover?.(false);
      this.tip?.hide();
    }
    element.remove();
    this.held.delete(id);
  }

  make({ id, shape }) {
    const element = document.createElementNS(this.root.namespaceURI, shape);
    const holder = { shape, element, set: new Map(), text: null, mark: null };
    element.dataset.mark = id;
    this.held.set(id, holder);
    this.listen(holder);
    return holder;
  }

  change(holder, mark) {
    const { element, set } = holder;
    const wanted = attributes(mark);
    for (const [key, value] of wanted) if (set.get(key) !== value) element.setAttribute(key, value);
    for (const key of set.keys()) if (!wanted.has(key)) element.removeAttribute(key);
    const text = mark.text ?? null;
    if (holder.text !== text) element.textContent = text;
    Object.assign(holder, { mark, text, set: wanted });
  }

  // What a mark does is looked up when it is done: the mark may have been drawn again since.
  listen(holder) {
    const { element } = holder;
    const enter = (x, y) => {
      holder.mark.hover?.(true);
      if (holder.mark.tip) this.tip?.show(x, y, holder.mark.tip());
    };
    const leave = () => {
      holder.mark.hover?.(false);
      if (holder.mark.tip) this.tip?.hide();
    };
    element.onpointerenter = ({ clientX, clientY }) => enter(clientX, clientY);
    element.onfocus = () => {
      const { x, y, width, height } = element.getBoundingClientRect();
      enter(x + width / 2, y + height / 2);
    };
    element.onpointerleave = element.onblur = leave;
    element.onclick = () => holder.mark.press?.();
    element.onkeydown = (event) => {
      if (!holder.mark.press || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      holder.mark.press();
    };
  }

  // What is drawn, as plain values.
  list() {
    const plain = ([, value]) => typeof value !== "function";
    return this.marks.map((mark) => ({
      picture: this.name,
      ...Object.fromEntries(Object.entries(mark).filter(plain)),
    }));
  }
}
