// The rows that could be added at the class that is looked at, a line each, and a button that adds one.

import { ROWS } from "../../palette.js";
import { number } from "../../text.js";
import { write } from "../layout.js";
import { valuesSaid } from "./values.js";

const HEADS = [
  ["row", ""],
  ["there", "What the row lifts the envelope by at the class looked at"],
  ["at y*", "What it lifts the envelope by at y*"],
  ["mean", "What it lifts the envelope by on average over all states"],
  ["tight", "States that are not tight now and would be"],
  ["µs", "What it takes to make the row"],
  ["", ""],
];

const INSERT = "Fork the run at this event, with this row added";

export class Cuts {
  constructor(drawer) {
    this.drawer = drawer;
    this.root = drawer.stage.$(".cuts");
    this.question = drawer.stage.$("[data-out=class]");
  }

  // `view`: null if nothing is known. Until its rows are known, the last ones stay in their places, faint.
  draw(view, names) {
    write(this.question, view ? this.asks(view, names) : "");
    this.drawer.stage.$(".drawer .key").hidden = !view?.rows;
    const waits = view !== null && view.cuts === null && view.tight < 1;
    this.root.classList.toggle("waits", waits);
    for (const button of this.root.querySelectorAll("button")) button.disabled = waits;
    if (waits) return;
    const cuts = view && view.tight < 1 ? view.cuts : [];
    this.root.replaceChildren(...(cuts.length ? [head(), ...cuts.map((cut) => this.line(cut))] : []));
  }

  // What a row there is for.
  asks({ stems, chosen, asked, rows, tight }, names) {
    const where = `${chosen === asked ? "y*: " : ""}${valuesSaid(names, stems.bits[chosen])}`;
    if (!rows) return `${where}. The variant sends ν itself, ${number(stems.nu[chosen])} here.`;
    if (tight === 1) return `${where}. The envelope is tight everywhere: no row can lift it.`;
    const slack = number(stems.nu[chosen] - stems.envelope[chosen]);
    return `${where}. ${stems.tight[chosen] ? "Tight here." : `Too low by ${slack}.`} Another row here lifts it by:`;
  }

  line({ kind, state, here, asked, mean, tightened, microseconds }) {
    const line = document.createElement("tr");
    const name = cell("th", ROWS[kind].name, { class: `kind row-${kind}`, scope: "row" });
    const lifts = [here, asked, mean].map((value) => cell("td", number(value, 3)));
    line.append(name, ...lifts, cell("td", String(tightened)), cell("td", number(microseconds, 2)));
    const button = cell("button", "Insert", { class: "flip", title: INSERT });
    button.onclick = () => this.drawer.insert(state, kind);
    const last = cell("td", "");
    last.append(button);
    line.append(last);
    return line;
  }
}

const cell = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

const head = () => {
  const line = document.createElement("tr");
  line.append(...HEADS.map(([text, title]) => cell("th", text, { scope: "col", ...(title && { title }) })));
  return line;
};
