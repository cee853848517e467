// One message over the states of its receiver: the true min-marginal and the envelope of the rows below it.

import { axes, COMPACT } from "../marks/axis.js";
import { path } from "../marks/line.js";
import { note } from "../marks/note.js";
import { upright } from "../marks/rule.js";
import { make } from "../svg.js";
import { number } from "../text.js";

const DOTTED = 64; // states up to which those that are tight have a dot each
const WIDE = 340; // pixels of width from which on names are written out
const INVITATION = ["Click a line or a circle on the left", "to see its message and the envelope below it."];

export class Message {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".edge svg");
  }

  draw() {
    const { stage, svg } = this;
    const chosen = stage.arc >= 0;
    for (const action of ["flip", "look"]) stage.$(`[data-act=${action}]`).hidden = !chosen;
    svg.replaceChildren();
    const known = stage.edge && stage.edge.arc === stage.arc;
    this.refuse(known && stage.edge.refusal);
    if (known) this.title(`Message ${stage.edge.from} → ${stage.edge.to}`);
    if (known && !stage.edge.refusal) return this.chart(stage.edge);
    stage.$(".edge .hint").textContent = "";
    if (chosen) return;
    this.title("Selected message");
    note(svg, INVITATION, 10);
  }

  // In place of a message that there is no room to draw, the reason.
  refuse(reason) {
    const refused = this.stage.$(".edge .none");
    refused.textContent = reason || "";
    refused.hidden = !reason;
    this.svg.toggleAttribute("hidden", Boolean(reason));
  }

  title(text) {
    const name = this.stage.$(".edge .name");
    name.textContent = name.title = text;
  }

  chart({ nu, envelope, tight, minimiser, states, shown, rows, mean_slack: mean }) {
    const { svg, stage } = this;
    const { exact } = stage.graph;
    const share = Math.round((100 * tight.length) / nu.length);
    const looks = `${rows} rows · tight at ${share} % · mean slack ${number(mean, 3)}`;
    stage.$(".edge .hint").textContent = exact ? shown : looks;
    const across = { range: [0, Math.max(nu.length - 1, 1)], name: `${shown}, sorted by the true value` };
    const up = { range: [Math.min(...envelope), Math.max(...nu)], name: "energy" };
    const { x, y, box } = axes(svg, across, up, COMPACT);
    const above = nu.map((v, k) => [x(k), y(v)]);
    const below = envelope.map((v, k) => [x(k), y(v)]);
    make(svg, "path", { class: "gap", d: `${path(above.concat(below.slice().reverse()))}Z` });
    make(svg, "path", { class: "truth", d: path(above) });
    make(svg, "path", { class: "lower", d: path(below) });
    for (const k of nu.length <= DOTTED ? tight : []) {
      make(svg, "circle", { class: "tight", cx: below[k][0], cy: below[k][1], r: 3 });
    }
    upright(svg, "now", x(minimiser), box);
    const [side, beside] = x(minimiser) > (box.left + box.right) / 2 ? ["end", -5] : ["start", 5];
    const place = { x: x(minimiser) + beside, y: box.bottom - 5, "text-anchor": side };
    make(svg, "text", place, `y* ${states[minimiser]}`);
    this.names(box, exact);
  }

  // Below the frame: the lines may be anywhere in it.
  names(box, exact) {
    const wide = box.right - box.left > WIDE;
    const y = box.bottom + 17;
    make(this.svg, "text", { x: box.left, y }, wide ? "━ ν true min-marginal" : "━ ν true");
    const envelope = wide ? "━ ν⁻ envelope of the rows" : "━ ν⁻ envelope";
    const right = { class: "lower-name", x: box.right, y, "text-anchor": "end" };
    make(this.svg, "text", right, exact ? "ν⁻ = ν" : envelope);
  }
}
