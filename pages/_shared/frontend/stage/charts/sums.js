// Numbers that add up as they are shown: every part is rounded so that the parts sum to the rounded total.

export const sum = (values) => values.reduce((a, b) => a + b, 0);

// Values in whole units of the last digit shown; those with the largest remainders are rounded up. `total`: what they
// are to sum to, in units.
export const apportioned = (values, digits, total = Math.round(sum(values) * 10 ** digits)) => {
  const exact = values.map((value) => value * 10 ** digits);
  const units = exact.map(Math.floor);
  const order = exact.map((_, k) => k).sort((a, b) => exact[b] - units[b] - (exact[a] - units[a]));
  let left = total - sum(units);
  for (let k = 0; left !== 0 && order.length; k = (k + 1) % order.length) {
    units[order[left > 0 ? k : order.length - 1 - k]] += Math.sign(left);
    left -= Math.sign(left);
  }
  return units;
};

// Parts before and after, so that both sum to their totals, and what is added to the rise; parts that do not change
// show the same number twice.
export const grown = (before, after, digits) => {
  const unit = 10 ** digits;
  const from = apportioned(before, digits);
  const changes = before.flatMap((value, k) => (after[k] === value ? [] : [k]));
  const rise = Math.round(sum(after) * unit) - sum(from);
  const added = before.map(() => 0);
  const parts = changes.map((k) => after[k] - before[k]);
  apportioned(parts, digits, rise).forEach((units, i) => {
    added[changes[i]] = units;
  });
  return { from, to: from.map((units, k) => units + added[k]), added };
};

// Units as a number in words.
export const shown = (units, digits) => {
  const text = (Math.abs(units) / 10 ** digits).toFixed(digits);
  return units < 0 ? `−${text}` : text;
};

// The cost of a state as shown: the rest, its own cost and a part of each neighbour, before and after the neighbours'
// answers, which are for y* only.
export const costOf = (update, { state, own, parts }, isKnown, digits) => {
  const isEvaluated = state === update.y;
  const before = (isEvaluated && update.known) || parts;
  const after = (isEvaluated && isKnown && update.nu) || before;
  const [from, to] = [before, after].map((values) => [update.rest, own, ...values]);
  return grown(from, to, digits);
};

// The same of the part of one neighbour at y*, in words.
export const answerOf = (update, slot, digits) => {
  const { from, to } = costOf(update, columnOf(update, update.y), true, digits);
  return [from, to].map((units) => shown(units[slot + 2], digits));
};

export const columnOf = ({ columns }, state) => columns.find((column) => column.state === state);
