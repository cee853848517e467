// The charges of a Magnanti-Wong row of least squares, for senders of few friends: exact, by trying which conditions
// hold with equality (docs/method.md, section 3.4).

import { NEAR, bit, leastOf } from "../friends/exact.js";

const dot = (a, b) => a.reduce((total, value, k) => total + value * b[k], 0);

// The solution of some equations, or null if they depend on each other; Gauss's method.
const solved = (matrix, right) => {
  const rows = matrix.map((row, k) => [...row, right[k]]);
  for (let k = 0; k < rows.length; k += 1) {
    const pivot = rows
      .slice(k)
      .reduce((best, row, j) => (Math.abs(row[k]) > Math.abs(rows[best][k]) ? k + j : best), k);
    if (Math.abs(rows[pivot][k]) < NEAR) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    rows.forEach((row, j) => {
      if (j === k) return;
      const factor = row[k] / rows[k][k];
      rows[j] = row.map((value, c) => value - factor * rows[k][c]);
    });
  }
  return rows.map((row, k) => row.at(-1) / row[k]);
};

// All subsets of 0 … count − 1 of at most some size.
const subsets = (count, size) => {
  if (!size) return [[]];
  return subsets(count, size - 1).flatMap((chosen) =>
    chosen.length === size - 1
      ? [
          chosen,
          ...Array.from({ length: count }, (_, k) => k)
            .filter((k) => k > (chosen.at(-1) ?? -1))
            .map((k) => [...chosen, k]),
        ]
      : [chosen],
  );
};

// The point of least norm at which no `row · z ≥ right` is broken.
const leastNorm = (conditions, unknowns) => {
  let best = null;
  for (const chosen of subsets(conditions.length, unknowns)) {
    const rows = chosen.map((k) => conditions[k].row);
    const factors = solved(
      rows.map((row) => rows.map((other) => dot(row, other))),
      chosen.map((k) => conditions[k].right),
    );
    if (!factors) continue;
    const z = Array.from({ length: unknowns }, (_, k) =>
      dot(
        factors,
        rows.map((row) => row[k]),
      ),
    );
    const holds = conditions.every(({ row, right }) => dot(row, z) >= right - NEAR);
    if (holds && !(best && dot(best, best) <= dot(z, z))) best = z;
  }
  return best;
};

// `whole`: what can be charged at most for either value of each friend of the sender; `needed`: what the charges must
// add up to at each state of the sender. Where whole charges are just enough, they stay whole: one value of each friend
// is fixed, and the other one unknown.
export const leastCharges = (whole, needed) => {
  const at = (state) => whole.map((charges, k) => charges[bit(state, k)]);
  const spare = needed.map(
    (value, state) =>
      dot(
        at(state),
        at(state).map(() => 1),
      ) - value,
  );
  const fixed = leastOf(spare);
  const unit = (k) => whole.map((_, j) => Number(j === k));
  const conditions = [
    ...needed.map((value, state) => {
      const isFixed = whole.map((_, k) => Number(bit(state, k) === bit(fixed, k)));
      return { row: isFixed.map((is) => 1 - is), right: value - dot(at(state), isFixed) };
    }),
    ...whole.flatMap((charges, k) => [
      { row: unit(k), right: 0 },
      { row: unit(k).map((value) => -value), right: -charges[1 - bit(fixed, k)] },
    ]),
  ].filter(({ row }) => row.some(Boolean));
  const free = leastNorm(conditions, whole.length);
  return whole.map((charges, k) => charges.map((all, value) => (value === bit(fixed, k) ? all : free[k])));
};
