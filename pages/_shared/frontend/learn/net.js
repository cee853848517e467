// Twelve friends, their wishes, and the groups that they are gathered in.

import { around } from "../marks/hull.js";
import { friendMarks, placed, wishMarks } from "../friends/people.js";

const AIR = 30; // pixels around the friends
const ROOMY = 55; // pixels between two friends that have room for their names
const ROUND = 19; // pixels from a friend to the edge of their group

export const placesOf = (world, box) => placed(world.places, box, AIR);

// `groups`: of friends, by number; `labeling`: what each does; `lit`: the numbers of wishes that lend; `short`: whether
// friends have initials even where there is room for names.
export const groupMarks = (world, box, { groups, radius, labeling, lit = new Set(), short = false }) => {
  const where = placesOf(world, box);
  const state = labeling.reduce((sum, value, k) => sum + value * 2 ** k, 0);
  const isBroken = ([i, j, cost]) => (labeling[i] === labeling[j]) !== cost > 0;
  const of = new Map(groups.flatMap((group, g) => group.map((friend) => [friend, g])));
  const marks = wishMarks(world.wishes, where, { isBroken, width: ([, , cost]) => 1 + Math.abs(cost) });
  const marked = marks.filter(Boolean).map((mark, k) => {
    const [i, j] = world.wishes[k];
    const kind = of.get(i) === of.get(j) ? "inside" : "between";
    return { ...mark, id: `${kind} ${mark.id}`, class: `${mark.class} ${kind}${lit.has(k) ? " lit" : ""}` };
  });
  const hulls = groups.map((group) => ({
    ...{ id: `group ${group[0]}`, class: "group", d: around(group.map((friend) => where[friend])) },
    "stroke-width": 2 * ROUND,
  }));
  const initials = short || Math.abs(where[1][0] - where[0][0]) < ROOMY;
  const people = friendMarks(world.names, where, radius, { state, initials }).filter(
    (mark) => mark && (initials || !mark.id.startsWith("does")),
  );
  return [...hulls, ...marked, ...people];
};
