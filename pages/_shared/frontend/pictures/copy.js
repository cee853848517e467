// A copy of what the stage draws: an SVG of shapes and texts that stands on its own, so that browsers, Inkscape and
// printers read it, and a canvas takes it. Whatever can be pressed is left out.

import { make, SVG } from "../svg.js";
import { drawBox } from "./boxes.js";
import { colourOf } from "./colours.js";
import { linesOf } from "./type.js";

const MARGIN = 12; // pixels around it
const LEFT_OUT = ".run, .bar, .tip, .saving, .state, dialog, button, a, input, details, select, [hidden]";
// What says what is drawn, although it can be pressed or is elsewhere.
const [MEASURE, WHERE] = ["[data-act=measure]", ".where"];
const PLACES = ["d", "cx", "cy", "r", "x", "y", "width", "height", "rx", "x1", "y1", "x2", "y2", "points", "transform"];
// Attributes of a shape that a style may have set, with what they are otherwise.
const LINE = { "stroke-dasharray": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter" };
const TYPE = { "text-anchor": "start", "font-weight": "400", "font-style": "normal", "paint-order": "normal" };

const short = (value) => Math.round(value * 100) / 100;

class Copy {
  constructor(stages) {
    this.stages = stages;
    this.svg = document.createElementNS(SVG, "svg");
    this.defs = make(this.svg, "defs");
    this.origin = stages.getBoundingClientRect();
    this.top = this.bottom = null; // of all that has been drawn
  }

  // -- the page -------------------------------------------------------------------------------------------------

  boxOf(element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: short(left - this.origin.left), y: short(top - this.origin.top), width, height };
  }

  // Make room for what is drawn.
  cover({ y, height }) {
    this.top = Math.min(this.top ?? y, y);
    this.bottom = Math.max(this.bottom ?? y, y + height);
  }

  element(element, parent) {
    const style = getComputedStyle(element);
    if (style.display === "none") return;
    if (element.matches(MEASURE)) return this.choice(element, parent, style);
    if (element.matches(LEFT_OUT)) return;
    const into = style.opacity === "1" ? parent : make(parent, "g", { opacity: style.opacity });
    if (element instanceof SVGSVGElement) return this.picture(element, into, style);
    if (element instanceof HTMLCanvasElement) return this.pixels(element, into);
    if (style.visibility === "visible" && style.display !== "contents") {
      const box = this.boxOf(element);
      if (drawBox(into, this.defs, element, box, style)) this.cover(box);
    }
    this.children(element, style.overflow === "visible" ? into : this.clip(element, into), style);
  }

  children(element, parent, style) {
    for (const child of element.childNodes) {
      if (child instanceof Element) this.element(child, parent);
      else if (child instanceof Text && style.visibility === "visible") this.text(child, parent, style);
    }
    const after = element.dataset.name && getComputedStyle(element, "::after");
    if (after && after.display === "block") this.below(element, parent, after);
  }

  clip(element, parent) {
    const id = `clip-${this.defs.childElementCount}`;
    make(make(this.defs, "clipPath", { id }), "rect", this.boxOf(element));
    return make(parent, "g", { "clip-path": `url(#${id})` });
  }

  // -- texts ----------------------------------------------------------------------------------------------------

  text(node, parent, style) {
    if (!node.data.trim()) return;
    for (const line of linesOf(node, style)) this.line(line, parent, style);
  }

  // Where the font is another one, a text keeps its width.
  line({ text, left, width, base }, parent, style) {
    const [x, y] = this.stand(left, base, style);
    const fits = text.length > 1 && { textLength: short(width), lengthAdjust: "spacingAndGlyphs" };
    make(parent, "text", { x, y, ...typeOf(style), ...inkOf("fill", style.color), ...fits }, text);
  }

  // The place of a text, which is given room.
  stand(left, base, { fontSize }) {
    const [x, y, size] = [short(left - this.origin.left), short(base - this.origin.top), parseFloat(fontSize)];
    this.cover({ y: y - size, height: 1.4 * size });
    return [x, y];
  }

  // What a style writes below an element: the name of a term.
  below(element, parent, style) {
    const first = linesOf(element.firstChild, getComputedStyle(element))[0];
    if (!first) return;
    const base = first.base + element.getBoundingClientRect().height / 2;
    const [x, y] = this.stand(first.left, base, style);
    make(parent, "text", { x, y, ...typeOf(style), ...inkOf("fill", style.color) }, element.dataset.name);
  }

  // The choice that a field shows.
  choice(field, parent, style) {
    const { x, y, height } = this.boxOf(field);
    const place = { x, y: short(y + height / 2 + 0.36 * parseFloat(style.fontSize)) };
    make(parent, "text", { ...place, ...typeOf(style), ...inkOf("fill", style.color) }, field.selectedOptions[0].text);
  }

  // The place in the run: at the end of the line of numbers, if there is room.
  where() {
    const [where, status] = [WHERE, ".status"].map((selector) => this.stages.querySelector(selector));
    const numbers = [...this.stages.querySelectorAll(".status > span:not([hidden], .state, .saving)")];
    if (!where) return;
    const style = getComputedStyle(where);
    if (!where.textContent || style.display === "none") return;
    const all = document.createRange();
    all.selectNodeContents(where);
    const { left: begin, width } = all.getBoundingClientRect();
    const texts = document.createTreeWalker(where, NodeFilter.SHOW_TEXT, ({ data }) =>
      data.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
    );
    const [{ base }] = linesOf(texts.nextNode(), style);
    const line = { text: where.textContent.replace(/\s+/g, " ").trim(), left: begin, width, base };
    const ends = Math.max(...numbers.map((each) => each.getBoundingClientRect().right));
    const isBeside = line.width < this.origin.right - Math.max(ends, this.origin.left) - MARGIN;
    if (!isBeside) return this.line(line, this.svg, style);
    const left = this.origin.right - line.width;
    const [number] = linesOf(status.querySelector("b").firstChild, getComputedStyle(status));
    this.line({ ...line, left, base: number.base }, this.svg, style);
  }

  // -- pictures -------------------------------------------------------------------------------------------------

  pixels(canvas, parent) {
    if (canvas.width) make(parent, "image", { ...this.boxOf(canvas), href: canvas.toDataURL() });
  }

  picture(svg, parent, style) {
    this.cover(this.boxOf(svg));
    const { a, b, c, d, e, f } = svg.getScreenCTM();
    const placed = [a, b, c, d, e - this.origin.left, f - this.origin.top].map(short);
    const into = style.overflow === "visible" ? parent : this.clip(svg, parent);
    const group = make(into, "g", { transform: `matrix(${placed.join(" ")})` });
    for (const child of svg.children) this.shape(child, group);
  }

  shape(shape, parent) {
    const style = getComputedStyle(shape);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    const places = PLACES.filter((name) => shape.hasAttribute(name)).map((name) => [name, shape.getAttribute(name)]);
    const faint = style.opacity === "1" ? {} : { opacity: style.opacity };
    if (shape.tagName === "g") {
      const group = make(parent, "g", { ...Object.fromEntries(places), ...faint });
      for (const child of shape.children) this.shape(child, group);
      if (!group.firstChild) group.remove();
      return;
    }
    const isText = shape.tagName === "text";
    const look = { ...inkOf("fill", style.fill, style.fillOpacity), ...strokeOf(style) };
    if (look.fill === "none" && !look.stroke) return;
    const type = isText && { ...typeOf(style), ...lengthOf(shape) };
    make(parent, shape.tagName, { ...Object.fromEntries(places), ...look, ...faint, ...type }, shape.textContent);
  }

  // -- all of it ------------------------------------------------------------------------------------------------

  finish(title) {
    const { svg, origin, top, bottom } = this;
    const [width, height] = [Math.ceil(origin.width + 2 * MARGIN), Math.ceil(bottom - top + 2 * MARGIN)];
    const corner = [-MARGIN, Math.floor(top - MARGIN)];
    svg.setAttribute("viewBox", [...corner, width, height].join(" "));
    Object.entries({ width, height }).forEach(([name, value]) => svg.setAttribute(name, value));
    const page = getComputedStyle(this.stages.firstElementChild).getPropertyValue("--st-background-color");
    const ground = document.createElementNS(SVG, "rect");
    const box = { x: corner[0], y: corner[1], width, height, fill: page.trim() };
    Object.entries(box).forEach(([name, value]) => ground.setAttribute(name, value));
    this.defs.after(ground);
    const name = document.createElementNS(SVG, "title");
    name.textContent = title;
    svg.prepend(name);
    return { text: new XMLSerializer().serializeToString(svg), width, height };
  }
}

const inkOf = (name, text, opacity = 1) => {
  const { colour, alpha } = colourOf(text);
  const seen = short(alpha * opacity);
  if (!seen) return { [name]: "none" };
  return { [name]: colour, ...(seen < 1 && { [`${name}-opacity`]: seen }) };
};

const differing = (style, usual) =>
  Object.fromEntries(
    Object.entries(usual)
      .map(([name, value]) => [name, style.getPropertyValue(name), value])
      .filter(([, value, other]) => value !== other),
  );

const strokeOf = (style) => {
  const wide = parseFloat(style.strokeWidth);
  const ink = inkOf("stroke", style.stroke, style.strokeOpacity);
  return wide && ink.stroke !== "none" ? { ...ink, "stroke-width": wide, ...differing(style, LINE) } : {};
};

const typeOf = (style) => ({
  "font-family": style.fontFamily,
  "font-size": style.fontSize,
  ...differing(style, TYPE),
});

const lengthOf = (text) => {
  const { length } = text.textContent;
  return length > 1 && { textLength: short(text.getComputedTextLength()), lengthAdjust: "spacingAndGlyphs" };
};

// What a stage shows, or two side by side: text of the SVG, width and height. `stages`: the element around them.
export const copyOf = (stages, title = "Bender Lab") => {
  // What only draws attention to a change has passed.
  for (const animation of stages.getAnimations({ subtree: true })) animation.finish();
  stages.classList.add("copied");
  const copy = new Copy(stages);
  for (const stage of stages.children) if (!stage.hidden) copy.element(stage, copy.svg);
  copy.where();
  const found = copy.finish(title);
  stages.classList.remove("copied");
  return found;
};
