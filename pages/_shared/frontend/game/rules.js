// The rules of the game: questions make rows, and passing messages moves the bound (docs/method.md, sections 2 and 3).

import { bit, leastOf, normalForm, statesOf, tableOf } from "../friends/exact.js";
import { leastCharges } from "./charges.js";

const key = (p, q) => `${p} ${q}`;
const sum = (values) => values.reduce((total, value) => total + value, 0);
const largest = (tables) => tables[0].map((_, k) => Math.max(...tables.map((table) => table[k])));
const added = (tables) => tables[0].map((_, k) => sum(tables.map((table) => table[k])));

// What never changes in a game: the energies of the tables, and what couples them.
export class Board {
  constructor({ own, wishes }, tables) {
    this.tables = tables;
    const home = new Map(tables.flatMap(({ friends }, p) => friends.map((friend, k) => [friend, { p, k }])));
    const form = normalForm({ own, wishes }, (i, j) => home.get(i).p !== home.get(j).p);
    this.energies = tables.map(({ friends }) => tableOf(form, wishes, friends).energies());
    this.couplings = new Map();
    for (const { i, j, value, weight } of form.discounts) {
      this.couple({ ...home.get(i), takes: 1 }, { ...home.get(j), takes: value }, weight);
      this.couple({ ...home.get(j), takes: value }, { ...home.get(i), takes: 1 }, weight);
    }
    this.neighbours = tables.map((_, p) => tables.map((__, q) => q).filter((q) => this.couplings.has(key(p, q))));
  }

  // Discounts are kept by edge and direction: `mine` is of the receiver, `theirs` of the sender.
  couple(mine, theirs, weight) {
    const at = key(mine.p, theirs.p);
    if (!this.couplings.has(at)) this.couplings.set(at, []);
    this.couplings.get(at).push({ mine, theirs, weight });
  }

  between(p, q) {
    return this.couplings.get(key(p, q));
  }

  states(p) {
    return statesOf(this.tables[p].friends.length);
  }

  pair(p, q, mine, theirs) {
    const granted = this.between(p, q).filter(
      (each) => bit(mine, each.mine.k) === each.mine.takes && bit(theirs, each.theirs.k) === each.theirs.takes,
    );
    return -sum(granted.map(({ weight }) => weight));
  }
}

// What changes in a game. `messages`: by receiver and sender, a table over the receiver's states; `rows`: `ends`, the
// tables of its edge, `pays`, what it pays at the states of either, and, if it was asked for here, the `answer` of the
// second table to the first.
export class Position {
  constructor(board, messages, rows) {
    Object.assign(this, { board, messages, rows });
  }

  static begin(board, { messages, rows }) {
    return new Position(board, new Map(messages.map(({ ends, table }) => [key(...ends), table])), rows);
  }

  // The costs of the answers of q to a state of p.
  answers(p, q, state) {
    const heard = this.messages.get(key(q, p));
    return this.board.states(q).map((answer) => this.board.pair(p, q, state, answer) - heard[answer]);
  }

  exact(p, q) {
    return this.board.states(p).map((state) => Math.min(...this.answers(p, q, state)));
  }

  // The rows of the message from q into p: their values, and the answers of q that are known by them.
  read(p, q) {
    const heard = this.messages.get(key(q, p));
    const ofEdge = this.rows.filter(({ ends }) => ends.includes(p) && ends.includes(q));
    return ofEdge.map(({ ends, pays, answer: given }) => {
      const side = ends.indexOf(p);
      const costs = pays[1 - side].map((paid, answer) => -heard[answer] - paid);
      const answer = leastOf(costs);
      // What was answered to p stays an answer of q.
      const known = side === 0 && given !== undefined ? [answer, given] : [answer];
      return { known, values: pays[side].map((paid) => costs[answer] - paid) };
    });
  }

  envelope(p, q) {
    return largest(this.read(p, q).map(({ values }) => values));
  }

  // The most that each state may cost q: by the answers that are known.
  atMost(p, q) {
    const known = [...new Set(this.read(p, q).flatMap((row) => row.known))];
    return this.board.states(p).map((state) => {
      const costs = this.answers(p, q, state);
      return Math.min(...known.map((answer) => costs[answer]));
    });
  }

  // The row that a question makes: `r`, a reverse one, or `m`, a Magnanti-Wong row.
  row(p, q, state, kind) {
    const couplings = this.board.between(p, q);
    const spare = couplings.map(({ mine, weight }) => (bit(state, mine.k) === mine.takes ? 0 : weight));
    const charged = kind === "r" ? spare : this.leastCharged(p, q, state, spare);
    const pays = (r, side, paid) =>
      this.board
        .states(r)
        .map((each) => sum(paid.filter((_, c) => bit(each, couplings[c][side].k) === couplings[c][side].takes)));
    return {
      ends: [p, q],
      answer: leastOf(this.answers(p, q, state)),
      pays: [
        pays(p, "mine", charged),
        pays(
          q,
          "theirs",
          couplings.map(({ weight }, c) => weight - charged[c]),
        ),
      ],
    };
  }

  // Of what each coupling that the state does not take may be charged, a Magnanti-Wong row charges shares, one for each
  // value of each friend of the sender, and of least squares.
  leastCharged(p, q, state, spare) {
    const couplings = this.board.between(p, q);
    const heard = this.messages.get(key(q, p));
    const bits = this.board.tables[q].friends.length;
    const whole = Array.from({ length: bits }, () => [0, 0]);
    couplings.forEach(({ theirs }, c) => {
      whole[theirs.k][theirs.takes] += spare[c];
    });
    const exact = Math.min(...this.answers(p, q, state));
    // What the charges must add up to where the sender is in a state, so that the intercept is exact.
    const needed = this.board.states(q).map((answer) => {
      const paid = couplings.filter(({ theirs }) => bit(answer, theirs.k) === theirs.takes);
      return exact + heard[answer] + sum(paid.map(({ weight }) => weight));
    });
    const charges = leastCharges(whole, needed);
    const share = ({ k, takes }) => (whole[k][takes] ? charges[k][takes] / whole[k][takes] : 0);
    return couplings.map(({ theirs }, c) => spare[c] * share(theirs));
  }

  with(row) {
    return new Position(this.board, this.messages, [...this.rows, row]);
  }

  // After the messages into p have been passed.
  passed(p) {
    const neighbours = this.board.neighbours[p];
    const envelopes = neighbours.map((q) => this.envelope(p, q));
    const total = added([this.board.energies[p], ...envelopes]);
    const messages = new Map(this.messages);
    neighbours.forEach((q, k) => {
      messages.set(
        key(p, q),
        envelopes[k].map((value, state) => value - total[state] / (1 + neighbours.length)),
      );
    });
    return new Position(this.board, messages, this.rows);
  }

  ofTable(p) {
    const heard = this.board.neighbours[p].map((q) => this.messages.get(key(p, q)));
    return Math.min(...added([this.board.energies[p], ...heard]));
  }

  ofEdge(p, q) {
    const sent = this.messages.get(key(p, q));
    return Math.min(...this.exact(p, q).map((value, state) => value - sent[state]));
  }

  get bound() {
    return sum(this.board.tables.map((_, p) => this.ofTable(p) + sum(this.later(p).map((q) => this.ofEdge(p, q)))));
  }

  later(p) {
    return this.board.neighbours[p].filter((q) => q > p);
  }

  // What the states of p cost at least, by the rows, and at most, by the answers known; in units of the bound.
  ground(p) {
    const neighbours = this.board.neighbours[p];
    const rest = this.bound - this.ofTable(p) - sum(neighbours.map((q) => this.ofEdge(p, q)));
    const own = this.board.energies[p].map((value) => rest + value);
    return {
      least: added([own, ...neighbours.map((q) => this.envelope(p, q))]),
      most: added([own, ...neighbours.map((q) => this.atMost(p, q))]),
    };
  }
}
