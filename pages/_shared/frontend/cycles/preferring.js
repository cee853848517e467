// By messages: what the edges of the present cycle prefer, and what the cycles of a round could gain. Both are methods
// of `Lending`.

import { number, short, shortInside } from "../text.js";
import { isFound } from "./history.js";
import { TALL, hit, named, others } from "./rows.js";

// The edges of a cycle, the weakest preference first: that much could be gained.
export function preferring({ event }, size) {
  const { half } = this;
  const { history } = half;
  const { walk, edges, preferences, strength } = event;
  this.title(`Cycle of ${walk.length}: what its couplings prefer`);
  const all = walk.map((v, k) => ({ k, size: Math.abs(preferences[k]), pair: [v, walk[(k + 1) % walk.length]] }));
  const [shown, more] = this.fitting(
    all.sort((a, b) => a.size - b.size),
    size.height,
  );
  const { left, right, letters } = this.frame(size);
  const wide = (value) => (0.75 * (right - left) * value) / all.at(-1).size;
  const rows = shown.flatMap(({ k, size: strong, pair }, row) => {
    const edge = edges[k];
    const name = history.names(pair);
    const ends = preferences[k] > 0 ? "opposite" : "equal";
    const what = strong ? `prefers ${ends} ends by ${number(strong)}` : "prefers nothing any more";
    const isWeakest = strong === strength;
    const y = TALL * row;
    const bar = { x: left, y: y + 4, height: TALL - 9 };
    const hover = (on) => half.point(on ? { edges: edge === null ? [] : [edge], vertices: pair } : null);
    const tip = () => [
      name,
      what,
      edge === null ? "no coupling with a weight: by itself it wants nothing" : "a coupling",
    ];
    const text = strong ? `${number(strong, 3)} ${ends}` : "used up";
    return [
      { id: `strong ${k}`, class: "bar-cost", width: wide(strong), ...bar, rx: 2 },
      { id: `gain ${k}`, class: "bar-taken", width: wide(strength), ...bar },
      { ...named(k, shortInside(name, letters), left - 6, y + TALL / 2 + 5), "text-anchor": "end" },
      {
        ...{ id: `prefers ${k}`, class: `left-over${isWeakest ? " nothing" : ""}`, x: left + wide(strong) + 6 },
        ...{ y: y + TALL / 2 + 5, text, means: { what: "preference", pair, value: preferences[k] } },
      },
      hit(k, `${name} ${what}`, { y, width: size.width, height: TALL, hover, tip }),
    ];
  });
  return [...rows, ...others(more, shown.length, "more, with stronger preferences")];
}

// The cycles of a round that has ended.
export function gained({ after }, size) {
  const { half } = this;
  const { history } = half;
  const end = after.position - 1;
  const begin = history.before(after.position, "round");
  const cycles = history.events.slice(begin, end).filter(isFound);
  const { lower } = history.at(begin);
  this.title("What each cycle alone promised, at least");
  if (!cycles.length) {
    const text = begin ? "No cycle had triplets to be added." : "None yet: there are no triplets.";
    return [{ id: "none", class: "soft", x: 0, y: TALL, text }];
  }
  const [shown, more] = this.fitting(
    cycles.map((cycle, k) => ({ ...cycle, place: begin + k })).sort((a, b) => b.strength - a.strength),
    size.height,
  );
  const { left, right, letters } = this.frame(size);
  const rows = shown.flatMap(({ walk, strength, behind, place }, row) => {
    const name = history.names(walk);
    const [y, wide] = [TALL * row, (strength / (shown[0].strength || 1)) * (right - left) * 0.6];
    const hover = (on) => half.point(on ? { edges: [], vertices: walk } : null);
    const then = number(behind) === "0" ? "" : `; the bound by messages was then ${number(behind)} below LB`;
    const what = `messages over it alone could gain ${number(strength)} when it was found${then}`;
    const rose = `with all messages of the round LB has risen by ${number(after.lower - lower)}`;
    return [
      { ...named(place, short(`${walk.length}: ${name}`, letters), left - 6, y + TALL / 2 + 5), "text-anchor": "end" },
      { id: `gain ${place}`, class: "bar-taken", x: left, width: wide, y: y + 4, height: TALL - 9, rx: 2 },
      {
        ...{ id: `strength ${place}`, class: "left-over", x: left + wide + 6, y: y + TALL / 2 + 5 },
        ...{ text: number(strength, 3), means: { what: "strength", cycle: place, value: strength } },
      },
      hit(place, `Cycle ${name}`, { y, width: size.width, height: TALL, hover, tip: () => [name, what, rose] }),
    ];
  });
  return [...rows, ...others(more, shown.length, "more")];
}
