// The rows that could be added at the selected class, a line each with a button that adds it.

import { html } from "../../html.js";
import { ROWS } from "../../palette.js";
import { number } from "../../text.js";
import { write } from "../../layout.js";
import { valuesText } from "./values.js";

const HEADS = [
  ["row", ""],
  ["here", "Lift of the envelope at the selected class"],
  ["at y*", "Lift at the state of the receiver that the oracle evaluated last"],
  ["average", "Mean lift over all states"],
  ["tight", "States that would become tight"],
  ["µs", "Time to make the row, about, in microseconds"],
  ["", ""],
];

const INSERT = "Fork the run at this event, with this row added";

export class Cuts {
  constructor(drawer) {
    this.drawer = drawer;
    this.root = drawer.stage.$(".cuts");
    this.question = drawer.stage.$("[data-out=class]");
  }

  // `view`: null if nothing is known. Until its rows are known, the last ones stay in their places, faint. Only rows of
  // the message and the event shown can be inserted.
  draw(view, names, star, isNow) {
    write(this.question, view ? this.asks(view, names, star) : "");
    this.drawer.stage.$(".drawer .key").hidden = !view?.rows;
    const helps = view !== null && view.tight < 1 && !isIdle(view.cuts);
    const waits = helps && view.cuts === null;
    this.root.classList.toggle("waits", waits);
    const cuts = helps ? view.cuts : [];
    if (!waits) this.root.replaceChildren(...(cuts.length ? [head(), ...cuts.map((cut) => this.line(cut))] : []));
    for (const button of this.root.querySelectorAll("button")) button.disabled = waits || !isNow;
  }

  // What a row there is for.
  asks({ stems, chosen, at_oracle, rows, tight, cuts }, names, star) {
    const where = `${chosen === at_oracle ? `${star}: ` : ""}${valuesText(names, stems.bits[chosen])}`;
    if (!rows) return `${where}. The variant sends ν itself, ${number(stems.nu[chosen])} here.`;
    if (tight === 1) return `${where}. The envelope is tight everywhere: no row can lift it.`;
    const slack = number(stems.nu[chosen] - stems.envelope[chosen]);
    const here = `${where}. ${stems.tight[chosen] ? "Tight here." : `Too low by ${slack}.`}`;
    return `${here} ${isIdle(cuts) ? "No row made here lifts it." : "A row made here lifts the envelope by:"}`;
  }

  line({ kind, state, here, at_oracle, mean, tightened, microseconds, pivots }) {
    const { name: kindName, term } = ROWS[kind];
    const name = html("th", { class: `kind row-${kind}`, scope: "row", "data-term": term }, kindName);
    const lifts = [here, at_oracle, mean].map((value) => html("td", {}, number(value, 4)));
    const time = html("td", { title: `${pivots} pivots` }, number(microseconds, 2));
    const button = html("button", { class: "flip", title: INSERT }, "Insert");
    button.onclick = () => this.drawer.insert(state, kind);
    return html("tr", {}, name, ...lifts, html("td", {}, tightened), time, html("td", {}, button));
  }
}

// Whether rows are known, and none of them lifts anything.
const isIdle = (cuts) => cuts !== null && cuts.every(({ mean, tightened }) => mean === 0 && tightened === 0);

const head = () => {
  const cells = HEADS.map(([text, title]) => html("th", { scope: "col", ...(title && { title }) }, text));
  return html("tr", {}, ...cells);
};
