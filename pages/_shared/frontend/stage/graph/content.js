// A circle that is large enough shows its variables, their values in the states that count, and its inner couplings.

import { clamp } from "../../numbers.js";
import { GLYPHS } from "./glyphs.js";

export const LARGE = 40; // pixels of radius from which on a circle shows its content
const SIZES = [3.5, 13]; // pixels: radius of a variable
const NAMED = 36; // pixels between variables from which on their names have room
const LETTERS = 8; // of the name of a variable
const BELOW = 12; // pixels from a variable to its name
const WIDEST = 5; // pixels of the strongest coupling

export const bit = (state, k) => Math.floor(state / 2 ** k) % 2;

// Whether a labelling pays for a coupling that it could have avoided: of spins, one whose ends are not as it wants
// them; of bits, a repulsive one whose ends are both 1.
export const isBroken = (weight, a, b, spins) => (spins ? weight > 0 === (a === b) : weight > 0 && a === 1 && b === 1);

// Whether it gains by one: of bits, an attractive one whose ends are both 1.
export const isKept = (weight, a, b, spins) => !spins && weight < 0 && a === 1 && b === 1;

const fate = (weight, a, b, spins) =>
  isBroken(weight, a, b, spins) ? "broken" : isKept(weight, a, b, spins) ? "kept" : "";

const couplings = (p, places, { ends, weights }, best, spins) => {
  const strongest = Math.max(...weights.map(Math.abs), Number.MIN_VALUE);
  return weights.map((weight, k) => {
    const [i, j] = [ends[2 * k], ends[2 * k + 1]];
    const [[x1, y1], [x2, y2]] = [places[i], places[j]];
    const end = best === null ? "" : fate(weight, bit(best, i), bit(best, j), spins);
    return {
      id: `inner-${p}-${k}`,
      class: `inner ${weight < 0 ? "attractive" : "repulsive"} ${end}`,
      ...{ x1, y1, x2, y2, "stroke-width": 0.5 + (WIDEST - 0.5) * Math.abs(weight / strongest) },
      means: { what: "inner", group: p, ends: [i, j], value: weight, fate: end },
    };
  });
};

// The marks beside a variable: its values in y*, and in the neighbour's answer.
const beside = (id, [x, y], r, states, k) =>
  ["y*", "answer"].flatMap((kind, side) => {
    const state = states[kind];
    if (state === undefined) return [];
    const at = [x + (side ? 1 : -1) * 0.9 * r, y - (side ? 0.9 : 1.4) * r];
    const look = `beside ${kind === "y*" ? "y" : kind} is-${bit(state, k)}`;
    return [{ id: `${id}-${kind}`, class: look, d: GLYPHS[kind](...at, clamp(0.5 * r, 3, 6)) }];
  });

// `states`: of the group, those that are known: "best", "y*" and "answer".
export const contentMarks = (p, [x, y], radius, { inner, names, decided }, states, spins) => {
  // Names are below their variables: the content is smaller by them, and raised by half of what they take.
  const named = inner.apart * (radius - BELOW) >= NAMED;
  const [room, raised] = named ? [radius - BELOW, 0.6 * BELOW] : [radius, 0];
  const places = inner.x.map((_, k) => [x + room * inner.x[k], y - raised + room * inner.y[k]]);
  const r = clamp(0.27 * room * inner.apart, ...SIZES);
  const best = states.best ?? null;
  const variables = places.flatMap((at, k) => {
    const id = `variable-${p}-${k}`;
    const is = best === null ? "" : ` best is-${bit(best, k)}${decided && decided[k] !== "?" ? " decided" : ""}`;
    const means = { what: "variable", group: p, member: k, states: mapped(states, (state) => bit(state, k)) };
    const body = { id, class: `bit${is}`, cx: at[0], cy: at[1], r, means };
    const name = { id: `${id}-name`, class: "member", x: at[0], y: at[1] + r + BELOW, text: names[k] };
    return [body, ...(named && names[k].length <= LETTERS ? [name] : []), ...beside(id, at, r, states, k)];
  });
  return [...couplings(p, places, inner, best, spins), ...variables];
};

const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([key, v]) => [key, change(v)]));
