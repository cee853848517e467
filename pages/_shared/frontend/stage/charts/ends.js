// The names of the lines at their right ends, none above another; and marks at the rim for what is off the scale.

import { stacked } from "../../marks/stacked.js";
import { clamp } from "../../numbers.js";

const SPACING = 17;
const LETTER = 7; // pixels that a character takes
const BEFORE = 24; // pixels before a name
const TERMS = { lb: "lower bound", floor: "floor", ceiling: "ceiling", ub: "upper bound" };

// A bound that is not of the chapter shown, by name; none if that has the best one.
const kept = ({ chapters }, moment) => {
  const keeper = chapters.keeper(moment);
  return keeper ? [{ name: `LB ${keeper}`, energy: chapters.best(moment.lower) }] : [];
};

// Pixels for the names of the lines: room for the longest that may be off the scale.
export const namesWidth = (energy, moment, stage) => {
  const own = [moment.lower, moment.upper].map((value) => ({ name: "ceiling", energy: value }));
  const letters = [...own, ...kept(stage, moment), ...stage.data.references].map(
    ({ name, energy: value }) => `↑ ${name} ${energy.text(value)}`.length,
  );
  return BEFORE + LETTER * Math.max(...letters);
};

export const endNames = (fan) => {
  const { moment, progress, energy, box, stage } = fan;
  const others = kept(stage, moment);
  const lines = [["lb", others.length ? "LB here" : "LB", moment.lower]];
  for (const { name, energy: value } of others) lines.push(["lb", name, value]);
  if (progress?.hasFloor && progress.run === 1 && !moment.over) {
    const { floor, ceiling } = progress.numbers;
    if (ceiling !== null && energy.text(ceiling) === energy.text(floor)) lines.push(["ceiling", "meet at", floor]);
    else {
      lines.push(["floor", "floor", floor, progress.floor]);
      if (ceiling !== null) lines.push(["ceiling", "ceiling", ceiling, progress.ceiling]);
    }
  }
  lines.push(["ub", "UB", moment.upper]);
  for (const { name, energy: value } of stage.data.references) lines.push(["reference", name, value]);
  // A name goes along with its line; its number is never one between two of the engine's.
  const ends = lines.map(([what, name, value, at = value]) => {
    const y = energy.y(at);
    const away = y < box.top - 0.5 ? "↑ " : y > box.bottom + 0.5 ? "↓ " : "";
    return { what, name, value, away, y: clamp(y, box.top, box.bottom) };
  });
  // Of equal heights the larger value is above.
  const order = ends.map((_, k) => k).sort((a, b) => ends[a].y - ends[b].y || ends[b].value - ends[a].value);
  const heights = order.map((k, i) => ends[k].y + i * 1e-3);
  const places = stacked(heights, box.top + 4, box.bottom - 2, SPACING);
  return order.flatMap((k, i) => mark(fan, ends[k], places[i]));
};

const mark = ({ charts, energy, box }, { what, name, value, away, y }, at) => {
  const from = box.right + 7;
  const text = { x: box.right + 19, y: at + 5, text: `${away}${name} ${energy.text(value)}` };
  const press = away ? { press: () => charts.energy.toggle("whole"), tabindex: 0, role: "button" } : {};
  const action = away
    ? { tip: () => [`${name} ${energy.text(value)} is off the scale`, "press to show everything"] }
    : { "data-term": TERMS[what] };
  const kind = `${what}-name end${away ? " off-scale" : ""}`;
  return [
    !away && {
      id: `${what} ${name} on`,
      class: "on",
      d: `M${from} ${y.toFixed(1)}L${from + 9} ${at.toFixed(1)}`,
    },
    { id: `${what} ${name} end`, class: kind, ...text, means: { what, value }, ...press, ...action },
  ];
};
