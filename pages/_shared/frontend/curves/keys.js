// The runs as buttons, which hide and show them; and as a list, which stands below a picture of the chart.

import { Picture } from "../marks/picture.js";
import { swatch } from "../marks/run.js";
import { html } from "../html.js";
import { SVG } from "../svg.js";

const FEW = 8; // runs up to which buttons show the full name of the variant, and the list all settings

const drawn = (run) => {
  const picture = document.createElementNS(SVG, "svg");
  new Picture(picture, "swatch").draw(swatch(run));
  return picture;
};

export class Keys {
  constructor(chart) {
    Object.assign(this, { chart, hidden: new Set(), named: "" });
    [this.keys, this.legend] = [".keys", ".legend"].map(chart.$);
  }

  // Rebuilt only when the runs change: a button must not vanish during a press.
  list(runs) {
    const named = JSON.stringify(runs.map(({ key, label }) => [key, label]));
    if (named === this.named) return;
    this.named = named;
    this.keys.replaceChildren(...runs.map((run) => this.button(run, runs.length > FEW)));
    this.legend.replaceChildren(...runs.map((run) => this.entry(run, runs.length > FEW)));
    this.chart.root.style.setProperty("--runs", runs.length);
    this.show();
  }

  button(run, isShort) {
    const rest = run.label.slice(run.kind.length);
    const text = isShort ? run.label : `${run.kind}: ${run.meaning}${rest}`;
    const button = html("button", { title: run.name, "data-run": run.key }, drawn(run), text);
    button.onclick = () => {
      if (!this.hidden.delete(run.key)) this.hidden.add(run.key);
      this.show();
      this.chart.draw();
    };
    button.onpointerenter = () => this.chart.stress(run.key);
    button.onpointerleave = () => this.chart.stress(null);
    return button;
  }

  entry(run, isShort) {
    const text = isShort ? `${run.label}: ${run.meaning}` : run.name;
    return html("span", { "data-run": run.key }, drawn(run), text);
  }

  show() {
    for (const button of this.keys.children) {
      button.setAttribute("aria-pressed", String(!this.hidden.has(button.dataset.run)));
    }
    for (const entry of this.legend.children) entry.hidden = this.hidden.has(entry.dataset.run);
  }
}
