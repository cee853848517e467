// The sums below the list: all tensions, and the rise of the bound.

import { number } from "../../text.js";
import { apportioned, shown, sum } from "../charts/sums.js";
import { digitsFor } from "../graph/digits.js";
import { isMet } from "../play/moment.js";

const whole = (parts) => apportioned(parts, 0, 100);

export const gapTotal = (moment, graph) => {
  if (isMet(moment, graph)) return "the gap is closed";
  const { lower, upper, tension } = moment;
  const digits = digitsFor([upper - lower]);
  const total = Math.round((upper - lower) * 10 ** digits);
  const units = apportioned([sum(tension.edges), sum(tension.groups)], digits, total);
  const [edges, groups] = units.map((part) => shown(part, digits));
  return `edges ${edges} + inside groups ${groups} = gap ${shown(total, digits)}`;
};

// The shares of the rise of LB.
export const riseTotal = ({ gained }, { exact, scale }) => {
  const [anew, rows] = [sum(gained.groups), sum(gained.messages)];
  const rise = anew + rows;
  if (rise <= 1e-9 * scale) return "LB has not risen yet";
  const risen = `LB has risen by ${number(rise)}`;
  if (exact) return `${risen}, all by recomputed messages`;
  const [first, second] = whole([(100 * anew) / rise, (100 * rows) / rise]);
  return `${risen}: ${first} % by recomputed messages, ${second} % by new rows`;
};
