// What colours the lines of the hyper-graph: how loose an edge is, by one of several measures.

import { gradient } from "../palette.js";
import { number } from "../text.js";

const energy = { from: "0", to: (top) => `≥ ${number(top, 3)}`, value: (v) => number(v) };
export const MEASURES = {
  slack: { name: "slack at y*", ...energy },
  mean: { name: "mean slack", ...energy },
  largest: { name: "largest slack", ...energy },
  loose: { name: "tight states", from: "all", to: () => "none", value: (v) => `${number(100 * (1 - v), 3)} %` },
};

// How loose an edge is, as a share of the scale; null if unknown. Slack at y* is known at every event, other measures
// only at the one for which they were asked.
export const share = ({ graph, tightness }, measure, state, e) => {
  const top = graph.slack_scale || 1;
  if (measure !== "slack") {
    if (tightness?.measure !== measure) return null;
    return measure === "loose" ? tightness.values[e] : Math.min(tightness.values[e] / top, 1);
  }
  if (!state) return null;
  const [into, back] = [state.slack[2 * e], state.slack[2 * e + 1]];
  if (Number.isNaN(into) && Number.isNaN(back)) return null;
  return Math.min(Math.max(into || 0, back || 0) / top, 1);
};

export const drawLegend = (stage, measure) => {
  const { graph, dark, tightness } = stage;
  const legend = stage.$(".legend");
  stage.$("[data-act=measure]").hidden = graph.exact;
  legend.title = "Colour: how loose an edge is; dashed: not tight. Width: how many rows it has.";
  const { from, to } = MEASURES[measure];
  const when = measure !== "slack" && tightness ? ` · at event ${tightness.at}` : " · dashed: loose";
  const text = graph.exact ? "min-marginals are exact: no slack anywhere" : `${to(graph.slack_scale || 1)}${when}`;
  const shown = [text, from, dark].join();
  if (legend.dataset.shown === shown) return;
  legend.dataset.shown = shown;
  if (graph.exact) return legend.replaceChildren(text);
  const bar = document.createElement("i");
  bar.style.background = gradient(dark);
  legend.replaceChildren(from, bar, text);
};
