// The tip of a term: its symbol, its name, a picture, a sentence. It is in the root of its mark, which it describes,
// and has a root of its own, which no style of the page reaches.

import { html } from "../html.js";
import { dress, isDark, tension } from "../palette.js";

const ID = "term-tip";
const GAP = 7; // pixels between a mark and its tip
const RIM = 6; // pixels at least between the tip and the rim of the window
const WORN = ["--st-text-color", "--st-background-color", "--st-font"];
const LESS = 0.45; // of the tensions in a picture

const titleOf = (name, symbol) => {
  const parts = symbol && symbol !== name ? [symbol, name] : [name];
  const spans = parts.map((text) => html("span", {}, text));
  if (parts.length > 1) spans[0].className = "symbol";
  return html("p", { class: "title" }, ...spans);
};

export class TermTip {
  constructor(style) {
    this.host = html("div", { id: ID, popover: "manual", role: "tooltip" });
    this.body = html("div");
    this.host.attachShadow({ mode: "open" }).append(html("style", {}, style), this.body);
    this.mark = null;
  }

  // `page`: an element that has the page's colours.
  show(mark, name, { symbol, meaning, picture }, page) {
    if (mark === this.mark) return;
    this.hide();
    const root = mark.getRootNode();
    (root.body ?? root).append(this.host);
    this.wear(page);
    const drawing = html("div", { class: "picture", "aria-hidden": true });
    drawing.innerHTML = picture;
    this.body.replaceChildren(
      titleOf(name, symbol),
      ...(picture ? [drawing] : []),
      html("p", { class: "meaning" }, meaning),
    );
    this.mark = mark;
    mark.setAttribute("aria-describedby", ID);
    this.host.showPopover();
    this.place();
  }

  hide() {
    if (!this.mark) return;
    this.mark.removeAttribute("aria-describedby");
    this.mark = null;
    this.host.remove();
  }

  wear(page) {
    const { host } = this;
    const style = getComputedStyle(page);
    for (const name of WORN) host.style.setProperty(name, style.getPropertyValue(name));
    const dark = isDark(page);
    dress(host, dark);
    host.style.setProperty("--tense", tension(1, dark));
    host.style.setProperty("--less-tense", tension(LESS, dark));
  }

  // Below the mark, above it where there is more room; never on it.
  place() {
    const { host } = this;
    const { left, top, bottom } = this.mark.getBoundingClientRect();
    const [width, height] = [host.offsetWidth, host.offsetHeight];
    const fits = bottom + GAP + height + RIM <= innerHeight || innerHeight - bottom >= top;
    host.style.left = `${Math.max(RIM, Math.min(left, innerWidth - width - RIM))}px`;
    host.style.top = `${fits ? bottom + GAP : top - GAP - height}px`;
  }
}
