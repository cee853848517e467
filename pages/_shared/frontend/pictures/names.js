// Names of files: the model, what made the run, and the place.

const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

const WAYS = { program: ["cycles"], messages: ["cycles", "messages"], both: ["cycles", "both"] };

// The cycles, and the place: that of a film, or the event shown.
export const namedCycles = ({ data, player }, film) =>
  ["bender-lab", plain(data.title) || "model", ...WAYS[data.by], film?.name ?? `event${player.position}`].join("-");

// A race, and what its chart draws.
export const namedRace = ({ data, choice }) =>
  ["bender-lab", plain(data.model) || "model", choice.y, "against", choice.x].join("-");

// `film`: what a moving picture is of.
export const named = (stage, film) => {
  const { data, player, pair } = stage;
  const { M, variant } = data.bar.now;
  const run = ["bender-lab", plain(data.model) || "model", `M${M}`, `variant${variant}`];
  if (pair.second) run.push("beside", plain(pair.second.data.clocked.name));
  return [...run, film ? film.name : `event${player.position}`].join("-");
};
