// The measures that colour the lines of the hyper-graph, all at the event shown.

import { closeness } from "../../gap.js";
import { gradient } from "../../palette.js";
import { number } from "../../text.js";

const energy = { from: "0", to: (top) => `≥ ${number(top, 4)}`, value: (v) => number(v) };
export const MEASURES = {
  tension: { name: "tension", ...energy, to: (top) => number(top, 4) },
  mean: { name: "mean slack", ...energy },
  largest: { name: "largest slack", ...energy },
  loose: { name: "tight states", from: "all", to: () => "none", value: (v) => `${number(100 * (1 - v), 4)} %` },
};

// The least of 1, 2, 5, 10, … that is not less than a value: the end of the scale, which must not change all the time.
const rounded = (value) => {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find((m) => m * power >= value * (1 - 1e-9)) * power;
};

// The measure of a moment: a value for every edge, null if unknown, and one for every group that has one; `top` is the
// end of the scale. Tension is known at every event, the others only at the one for which they were asked.
export const measured = (stage, measure, moment) => {
  const { graph, tightness, player, pair } = stage;
  if (measure === "tension") {
    const { groups, edges } = moment.tension ?? { groups: null, edges: null };
    const most = edges ? Math.max(0, ...edges, ...groups) : 0;
    const top = most > closeness(moment.lower, moment.upper, graph.scale) ? rounded(most) : 1;
    return { measure, edges, groups, top: pair.commonTop(stage, top) };
  }
  const known = tightness?.measure === measure && tightness.at === player.position && moment.rest;
  const top = measure === "loose" ? 1 : graph.slack_scale || 1;
  return { measure, edges: known ? tightness.values : null, groups: null, top };
};

export const shareOf = (value, top) => Math.sqrt(Math.min(Math.max(value, 0) / top, 1));

export const drawLegend = (stage, { measure, top, edges }) => {
  const { graph, dark } = stage;
  const legend = stage.$(".legend");
  for (const option of stage.$("[data-act=measure]").options) option.hidden = graph.exact && option.value !== "tension";
  legend.title = "Colour and width: how much of the gap an edge or a group holds, or how loose its messages are.";
  const { from, to } = MEASURES[measure];
  const [end, of] = [to(top), stage.data.model + measure];
  const shown = [from, end, Boolean(edges), dark].join();
  if (legend.dataset.shown === shown) return;
  legend.dataset.shown = shown;
  // Another chapter, another scale.
  const before = stage.chapters.all[1] && legend.of === of && legend.end !== end ? ` (before: ${legend.end})` : "";
  Object.assign(legend, { of, end });
  if (!edges) return legend.replaceChildren("computed when the run is paused");
  const bar = document.createElement("i");
  bar.style.background = gradient(dark);
  legend.replaceChildren(from, bar, end + before);
};
