// The sums below the list: what all tensions make, and what the bound has risen by.

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

// Which share of the rise of LB is whose.
export const riseTotal = ({ gained }, { exact, scale }) => {
  const [anew, rows] = [sum(gained.groups), sum(gained.messages)];
  const rise = anew + rows;
  if (rise <= 1e-9 * scale) return "LB has not risen yet";
  const risen = `LB has risen by ${number(rise)}`;
  if (exact) return `${risen}, all by messages made anew`;
  const [first, second] = whole([(100 * anew) / rise, (100 * rows) / rise]);
  return `${risen}: ${first} % by messages made anew, ${second} % by new rows`;
};
