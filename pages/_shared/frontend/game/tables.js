// The tables of a puzzle, their friends and wishes: the open table stands in the state that is chosen, and neighbours
// give their answers to it as far as they are known.

import { around } from "../marks/hull.js";
import { NEAR, bit } from "../friends/exact.js";
import { friendMarks, wishMarks } from "../friends/people.js";
import { number } from "../text.js";

const RADIUS = 15; // pixels, of a friend
const ROUND = 23; // pixels from a friend to the edge of their table
// Where the tables of a puzzle are, as shares of the picture: by their number, or in a circle.
const PLACES = {
  2: [
    [0.25, 0.5],
    [0.75, 0.5],
  ],
  3: [
    [0.17, 0.5],
    [0.5, 0.5],
    [0.83, 0.5],
  ],
  4: [
    [0.15, 0.15],
    [0.85, 0.15],
    [0.5, 0.87],
    [0.5, 0.5],
  ],
};
const CIRCLE = [
  [0.2, 0.25],
  [0.8, 0.25],
  [0.5, 0.82],
];
const APART = 27; // pixels from the middle of a table to its friends
// The friends at a table, by their number: how far to the outside of the picture, and how far along the table.
const SEATS = {
  2: [
    [0, -1],
    [0, 1],
  ],
  3: [
    [-0.75, -1.15],
    [-0.75, 1.15],
    [1.15, 0],
  ],
};

// In the same way, where the letter of a table is: on its outside, or, above and below the middle, at its side; in the
// middle itself above it.
const LETTER = { outside: { 2: [1.6, 0], 3: [2.4, 0] }, side: [0, 2.3], middle: { 2: [0, 3.1], 3: [-2.8, 0] } };
const ALONG = [0.5, 0.34, 0.66, 0.42, 0.58, 0.27, 0.73];
const STEEP = 0.2; // of the outside, how far it is to the left or to the right

// The direction from the middle of the picture to a place; in the middle itself one that leaves room for wishes.
const outwards = (x, y, count) => {
  const far = Math.hypot(x, y);
  if (far >= 1) return [x / far, y / far];
  return count > 2 ? [0, 1] : [1, 0];
};

// Where the friends are, those whose names are above them, outside of their table, and where the letters of the tables
// are, as they are dealt.
const seats = ({ puzzle, level }, { width, height }) => {
  const first = puzzle.starts[0].tables;
  const middles = level.merges ? CIRCLE : PLACES[first.length];
  const [friendsAt, namesAt, above] = [[], {}, new Set()];
  first.forEach(({ friends, label }, p) => {
    const [x, y] = [middles[p][0] * width, middles[p][1] * height];
    const [ex, ey] = outwards(x - width / 2, y - height / 2, friends.length);
    const place = ([out, along]) => [x + APART * (out * ex + along * ey), y + APART * (out * ey - along * ex)];
    // In the order in which they stand below the columns.
    const places = SEATS[friends.length].map(place).sort(([x1, y1], [x2, y2]) => y1 - y2 || x1 - x2);
    friends.forEach((friend, k) => {
      friendsAt[friend] = places[k];
      if (places[k][1] < y - 1) above.add(friend);
    });
    const isMiddle = Math.hypot(x - width / 2, y - height / 2) < 1;
    const isBeside = Math.abs(ex) > STEEP;
    const letter = isMiddle ? LETTER.middle : isBeside ? LETTER.outside : { 2: LETTER.side };
    namesAt[label] = place(letter[friends.length]);
  });
  return { friendsAt, namesAt, above };
};

// A name, and what going costs.
const named = ({ names, own }, friend) => (own[friend] ? `${names[friend]} (${number(own[friend])})` : names[friend]);

// Where the cost of each wish stands, as shares of its line: of those between the same tables at different places.
const costPlaces = ({ wishes, starts }) => {
  const home = new Map(starts[0].tables.flatMap(({ friends }, p) => friends.map((friend) => [friend, p])));
  const seen = new Map();
  return new Map(
    wishes.map((wish) => {
      const [p, q] = [home.get(wish[0]), home.get(wish[1])];
      const count = seen.get(`${p} ${q}`) ?? 0;
      seen.set(`${p} ${q}`, count + 1);
      return [wish, p === q ? 0.5 : ALONG[count % ALONG.length]];
    }),
  );
};

// The friends at a table in some state, or of none if they have not answered.
const people = (puzzle, { friendsAt, above }, { friends, label }, state) =>
  friendMarks(
    friends.map((friend) => named(puzzle, friend)),
    friends.map((friend) => friendsAt[friend]),
    RADIUS,
    {
      state: state ?? 0,
      hidden: state === null,
      above: [...friends.keys()].filter((k) => above.has(friends[k])),
    },
  ).map((mark) => mark && { ...mark, id: `${label} ${mark.id}` });

// The answer of a neighbour to a state of the open table; null if it is not known for certain.
const answerOf = ({ position, table }, q, state) => {
  const [least, most] = [position.envelope(table, q)[state], position.atMost(table, q)[state]];
  if (most - least > NEAR) return null;
  const costs = position.answers(table, q, state);
  return costs.indexOf(Math.min(...costs));
};

export const tableMarks = (state, size, chosen, open) => {
  const { board, table, puzzle } = state;
  const places = seats(state, size);
  const { friendsAt: at, namesAt } = places;
  const isNear = (p) => board.neighbours[table].includes(p);
  const shown = board.tables.map((_, p) => (p === table ? chosen : isNear(p) ? answerOf(state, p, chosen) : null));
  const does = new Map(
    board.tables.flatMap(({ friends }, p) =>
      friends.map((friend, k) => [friend, shown[p] === null ? null : bit(shown[p], k)]),
    ),
  );
  const isBroken = ([i, j, cost]) =>
    does.get(i) !== null && does.get(j) !== null && (does.get(i) === does.get(j)) !== cost > 0;
  const label = ([, , cost]) => number(Math.abs(cost));
  const along = costPlaces(puzzle);
  return [
    ...board.tables.map(({ friends, label: name }, p) => ({
      ...{ id: `table ${name}`, class: `group${p === table ? " open" : ""}`, "stroke-width": 2 * ROUND },
      d: around(friends.map((friend) => at[friend])),
      ...(state.tables.includes(p) && p !== table ? { press: () => open(p), cursor: "pointer" } : {}),
    })),
    ...wishMarks(puzzle.wishes, at, {
      ...{ isBroken, label, width: ([, , cost]) => 1 + Math.abs(cost), share: (wish) => along.get(wish) },
    }),
    ...board.tables.flatMap((each, p) => people(puzzle, places, each, shown[p])),
    ...Object.entries(namesAt).map(([name, [x, y]]) => ({
      ...{ id: `name ${name}`, class: "table", x, y: y + 6, "text-anchor": "middle", text: name },
    })),
  ];
};
