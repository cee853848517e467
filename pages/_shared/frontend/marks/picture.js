// A picture: a list of marks in an SVG (or of spans in a paragraph). Marks keep their elements by id, so that only what
// differs is changed, and the list says what is drawn and what it means.

// Keys that are no attributes of an element.
const SAID = new Set(["id", "shape", "text", "means", "tip", "press", "hover"]);

// Hundredths of a pixel are not seen.
const written = (value) => (typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value));

const isSet = (value) => value !== undefined && value !== null && value !== false;

const write = (element, key, value, last) => {
  if (!isSet(value)) {
    if (isSet(last)) element.removeAttribute(key);
    return;
  }
  const text = written(value);
  if (!isSet(last) || written(last) !== text) element.setAttribute(key, text);
};

// The shapes of marks, in the order in which attributes tell them.
const SHAPES = Object.entries({ text: "text", d: "path", cx: "circle", x1: "line", width: "rect" });

const shapeOf = (mark) => mark.shape ?? SHAPES.find(([key]) => key in mark)[1];

// Everything drawn, as plain values.
export const listed = (picture, marks) => {
  const plain = ([, value]) => typeof value !== "function";
  const values = (mark) => Object.fromEntries(Object.entries(mark).filter(plain));
  return marks.map((mark) => ({ picture, shape: shapeOf(mark), ...values(mark) }));
};

// Whether the drawing is of another scene, which is a list of values. From now on it is of this one.
export const isNew = (drawn, scene, isSame = Object.is) => {
  if (drawn.scene?.every((part, k) => isSame(part, scene[k]))) return false;
  drawn.scene = scene;
  return true;
};

export class Picture {
  // `tip` shows the lines of marks that have some.
  constructor(root, name, tip = null) {
    Object.assign(this, { root, name, tip, holders: new Map(), marks: [] });
  }

  // Draw exactly these marks, the last on top. A mark has an `id`, attributes, a `shape` (its element) if these do not
  // tell it; it may have a `text`, what it `means`, lines of a `tip()`, and what happens at `press()` and `hover(on)`.
  draw(marks) {
    this.marks = marks.filter(Boolean);
    const gone = new Map(this.holders);
    for (const mark of this.marks) if (gone.get(mark.id)?.shape === shapeOf(mark)) gone.delete(mark.id);
    const left = Array.from(gone.keys(), (id) => this.remove(id)).filter(({ entered }) => entered);
    let next = this.root.firstElementChild;
    for (const mark of this.marks) {
      const holder = this.holders.get(mark.id) ?? this.make(mark);
      this.change(holder, mark);
      if (next === holder.element) next = next.nextElementSibling;
      else this.root.insertBefore(holder.element, next);
    }
    // Last, as what is no longer pointed at may have this drawn again.
    for (const { mark } of left) {
      mark.hover?.(false);
      this.tip?.hide();
    }
  }

  remove(id) {
    const holder = this.holders.get(id);
    holder.element.remove();
    this.holders.delete(id);
    return holder;
  }

  make(mark) {
    const { id, tabindex } = mark;
    const shape = shapeOf(mark);
    const element = document.createElementNS(this.root.namespaceURI, shape);
    const holder = { shape, element, mark: {}, entered: false };
    element.dataset.mark = id;
    this.holders.set(id, holder);
    this.listen(holder, tabindex !== undefined);
    return holder;
  }

  // Only what differs from the last mark is written, and nothing if that is the same object.
  change(holder, mark) {
    const { element, mark: last } = holder;
    if (mark === last) return;
    for (const key in mark) if (!SAID.has(key) && mark[key] !== last[key]) write(element, key, mark[key], last[key]);
    for (const key in last) if (!SAID.has(key) && !(key in mark)) write(element, key, undefined, last[key]);
    if ((mark.text ?? null) !== (last.text ?? null)) element.textContent = mark.text ?? null;
    holder.mark = mark;
  }

  // The action of a mark is looked up on the event, as the mark may have been drawn again since.
  listen(holder, stop) {
    const { element } = holder;
    const enter = (x, y) => {
      holder.entered = true;
      holder.mark.hover?.(true);
      if (holder.mark.tip) this.tip?.show(x, y, holder.mark.tip());
    };
    const leave = (event) => {
      holder.entered = false;
      holder.mark.hover?.(false);
      if (holder.mark.tip) this.tip?.leave(event);
    };
    element.onpointerenter = ({ clientX, clientY }) => enter(clientX, clientY);
    element.onpointerleave = leave;
    element.onclick = () => holder.mark.press?.();
    // An SVG element that listens for the focus is a stop of the keyboard, whatever its tabindex.
    if (!stop) return;
    element.onblur = leave;
    element.onfocus = () => {
      const { x, y, width, height } = element.getBoundingClientRect();
      enter(x + width / 2, y + height / 2);
    };
    element.onkeydown = (event) => {
      if (!holder.mark.press || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      holder.mark.press();
    };
  }

  list() {
    return listed(this.name, this.marks);
  }
}
