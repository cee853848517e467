// A play of a puzzle: what may be done, what it leads to, and how its moves are written in an address.

import { NEAR } from "../friends/exact.js";
import { mix } from "../numbers.js";
import { Board, Position } from "./rules.js";

// A merge of two tables, and turns: a table, the questions asked for it, and "_" once its messages have been passed.
const MERGE = /^([A-D]{2})!/;
const TURN = /^([A-D])((?:-[A-D]\d{1,2}[rm])*)(_?)/;
const QUESTION = /([A-D])(\d{1,2})([rm])/g;

// Moves are `{ merge }`, a question `{ table, sender, state, kind }`, and `{ table }`: its messages are passed.
// Tables are letters: of the first of those that a merged one consists of.
export const writeMoves = (moves) =>
  moves
    .map((move, k) => {
      if (move.merge) return `${move.merge}!`;
      const isFirst = !moves[k - 1]?.sender;
      const table = isFirst ? move.table : "";
      return move.sender ? `${table}-${move.sender}${move.state}${move.kind}` : `${table}_`;
    })
    .join("");

// Null if the text is none of moves.
export const readMoves = (text) => {
  const moves = [];
  let rest = text;
  const take = (pattern) => {
    const found = rest.match(pattern);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const merge = take(MERGE);
  if (merge) moves.push({ merge: merge[1] });
  while (rest) {
    const turn = take(TURN);
    if (!turn) return null;
    const [, table, questions, end] = turn;
    if (!questions && !end) return null;
    for (const [, sender, state, kind] of questions.matchAll(QUESTION))
      moves.push({ table, sender, state: Number(state), kind });
    if (end) moves.push({ table });
    else if (rest) return null;
  }
  return moves;
};

// What a move leads to; nothing here changes. `lower`: LB, at first the bound, then the highest floor at which messages
// were passed.
export class State {
  // It stays behind when a state is changed into another.
  #ground;

  constructor(fields) {
    Object.assign(this, fields);
  }

  static begin(level, puzzle, merged = null) {
    const start = puzzle.starts.find((each) => each.merged === merged);
    const board = new Board(puzzle, start.tables);
    const position = Position.begin(board, start);
    const lower = position.bound;
    const counts = { turn: 0, asked: 0, questions: [] };
    const first = new State({ ...{ level, puzzle, merged, board, position, lower }, ...counts });
    return first.open(first.tables[0]);
  }

  change(fields) {
    return new State({ ...this, ...fields });
  }

  open(table) {
    const ground = this.position.ground(table);
    return this.change({ table, opening: ground, before: ground.least });
  }

  // With a table open.
  showing(p) {
    return this.table === p ? this : this.open(p);
  }

  // The numbers of the tables of this turn, and of those that may be opened now: after a question only the open one.
  get tablesOfTurn() {
    if (this.isOver) return [];
    return this.level.merges ? this.board.tables.map((_, p) => p) : this.level.turns[this.turn];
  }

  get tables() {
    return this.questions.length ? [this.table] : this.tablesOfTurn;
  }

  // The pairs of tables that may be merged now.
  get merges() {
    const isFirst = this.turn === 0 && !this.questions.length && !this.merged;
    return isFirst ? this.puzzle.starts.map(({ merged }) => merged).filter(Boolean) : [];
  }

  get isOver() {
    return this.turn === this.level.turns.length;
  }

  // Whether nothing more can be reached.
  get isBest() {
    return this.score > this.puzzle.best.score - NEAR;
  }

  get left() {
    return this.level.questions - this.asked;
  }

  letter(table) {
    return this.board.tables[table].label[0];
  }

  number(letter) {
    return this.board.tables.findIndex(({ label }) => label[0] === letter);
  }

  // What the states of the open table cost, at least and at most: computed once, as it is drawn in every frame.
  get ground() {
    this.#ground ??= this.position.ground(this.table);
    return this.#ground;
  }

  // The columns on their way from the last move: `moved` is how far, from 0 to 1.
  leastAt(moved) {
    return this.ground.least.map((value, state) => mix(this.before[state], value, moved));
  }

  // What LB rises to if the messages are passed now, and the most that it can in this turn.
  get floor() {
    return Math.min(...this.ground.least);
  }

  get ceiling() {
    return Math.min(...this.ground.most);
  }

  // LB, less the price of all questions; and what it will be if the messages are passed now.
  get score() {
    return this.lower - this.level.price * this.asked;
  }

  get offer() {
    return this.score + Math.max(this.floor - this.lower, 0);
  }

  mayAsk({ table, sender, state, kind }) {
    const [p, q] = [this.number(table), this.number(sender)];
    const isRule = this.left > 0 && this.tables.includes(p) && this.level.kinds.includes(kind);
    if (!isRule || !this.board.neighbours[p].includes(q) || state >= this.board.states(p).length) return false;
    return !this.questions.some((each) => each.sender === sender && each.state === state && each.kind === kind);
  }

  // After a move; null if it is against the rules.
  after(move) {
    if (move.merge) return this.merges.includes(move.merge) ? this.merge(move.merge) : null;
    if (move.sender) return this.mayAsk(move) ? this.ask(move) : null;
    return this.tables.includes(this.number(move.table)) ? this.pass(this.number(move.table)) : null;
  }

  merge(pair) {
    const merged = State.begin(this.level, this.puzzle, pair);
    return merged.change({ last: { merge: pair, from: this.lower, to: merged.lower } });
  }

  ask(move) {
    const [p, q] = [this.number(move.table), this.number(move.sender)];
    const open = this.showing(p);
    const costs = this.position.answers(p, q, move.state);
    const exact = Math.min(...costs);
    const made = (kind) => this.position.with(this.position.row(p, q, move.state, kind));
    const position = made(move.kind);
    const otherKind = this.level.kinds.find((kind) => kind !== move.kind);
    const before = open.ground.least;
    const now = position.ground(p).least;
    const lifted = now.filter((value, state) => value > before[state] + NEAR).length;
    const last = {
      ...move,
      exact,
      answer: costs.indexOf(exact),
      lifted,
      from: Math.min(...before),
      to: Math.min(...now),
      // The columns with the other kind of row.
      other: otherKind && made(otherKind).ground(p).least,
    };
    return open.change({ position, before, questions: [...this.questions, move], asked: this.asked + 1, last });
  }

  pass(p) {
    const open = this.showing(p);
    const { floor } = open;
    const lower = Math.max(this.lower, floor);
    const last = { passed: this.board.tables[p].label, floor, from: this.lower, to: lower };
    const position = this.position.passed(p);
    const next = open.change({ position, lower, last, turn: this.turn + 1, questions: [] });
    // The columns of a table are the same after a pass: it stays open where it may.
    const stays = next.isOver || next.tables.includes(p);
    return stays ? next.change({ before: next.ground.least }) : next.open(next.tables[0]);
  }
}

// The states of a play, one for its beginning and one after each move; null if a move is against the rules.
export const replay = (level, puzzle, moves) => {
  const states = [State.begin(level, puzzle)];
  for (const move of moves) {
    const next = states.at(-1).after(move);
    if (!next) return null;
    states.push(next);
  }
  return states;
};
