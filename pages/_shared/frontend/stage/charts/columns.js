// The places of the states of an update: a column each, in the order of the opening, and beyond them a curve by rank
// for the others.

const TAIL = 88; // pixels for the curve at least, if there is one
const WIDE = 0.34; // share of the width for that of many states
const FEW = 12; // columns are not wider than if there were as many
const AIR = 0.1; // share of a column's width between columns

export const place = (update, left, right) => {
  const { columns, tail, count } = update;
  const all = right - left;
  const share = WIDE * Math.min(Math.log10(count / columns.length) / 3, 1);
  const room = tail ? all - Math.max(TAIL, share * all) : all;
  const step = room / Math.max(columns.length, FEW);
  const index = new Map(columns.map(({ state }, i) => [state, i]));
  const x = (i) => left + step * (i + 0.5);
  const end = left + step * columns.length;
  const first = Math.log(columns.length);
  const along = (rank) => (Math.log(rank) - first) / (Math.log(count) - first || 1);
  return {
    ...{ step, x, left, right, end, count: columns.length },
    of: (state) => (index.has(state) ? x(index.get(state)) : null),
    bar: (i, filled = 1 - AIR) => ({ x: x(i) - (step * filled) / 2, width: step * filled }),
    tail: tail && { left: end + 8, right, x: (rank) => end + 8 + (right - end - 8) * along(rank) },
  };
};
