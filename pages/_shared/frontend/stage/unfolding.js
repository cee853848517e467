// An update event by event: lower bounds of states, questions, answers and rows. Every snapshot is immutable and shares
// unchanged parts with the previous one.

import { sum } from "./charts/sums.js";
import { KIND } from "./kinds.js";

const costed = (column, rest) => ({ ...column, g: rest + column.own + sum(column.parts) });

// A list with one more entry at a place.
const inserted = (list, at, entry) => [...list.slice(0, at), entry, ...list.slice(at)];

export class Unfolding {
  // `update`: the one that is open; `passed`: the last one.
  constructor(update, passed) {
    Object.assign(this, { update, passed });
  }

  // The update after an event, null between updates and without memory to look; `passed`: the update that has ended,
  // until another begins; `asks`: the question of a new round, before its answer.
  take(event) {
    const before = this.update;
    const step = STEPS[event.kind];
    const known = event.detail && (before || event.kind === KIND.NODE_OPENED);
    const asks = known && event.kind === KIND.ORACLE && event.state !== before.y ? asking(before, event) : null;
    this.update = known && step ? step(asks ?? before, event) : null;
    if (event.kind !== KIND.SWEEP) this.passed = known && event.kind === KIND.MESSAGE ? passing(before, event) : null;
    return { update: this.update, asks, passed: this.passed };
  }
}

const opened = (_before, { node, state, depth, floor, detail }) => {
  const { count, rest, arcs, senders, states, bits, own, parts, best, dead, tail } = detail;
  const columns = states.map((y, i) => {
    const column = costed({ state: y, bits: bits[i], own: own[i], parts: parts.map((part) => part[i]) }, rest);
    return { ...column, g0: column.g, gRound: column.g };
  });
  const known = { node, count, rest, arcs, senders, best, dead, tail, columns };
  const update = { ...known, y: state, floor, depth, round: 0, rows: [] };
  return { ...update, ...SILENT, ceiling: null, bestSoFar: -1, suspects: -1, evaluated: new Map() };
};

// Nothing is known yet of the exact cost at y*.
const SILENT = { answers: null, nu: null, known: null, loosest: -1 };

// A round begins: y* is the lowest column; all lifts so far belong to earlier rounds.
const asking = (update, { state, depth, detail }) => {
  const round = update.round + (update.evaluated.size ? 1 : 0);
  const begun = { ...update, ...SILENT, y: state, depth, round };
  begun.columns = update.columns.map((column) =>
    column.gRound === column.g ? column : { ...column, gRound: column.g },
  );
  return detail.insert ? widened(begun, detail.insert) : begun;
};

// A state that was not among the columns goes to its place; the values of earlier rows there are unknown.
const widened = (update, { at, opening, ...facts }) => {
  const column = costed(facts, update.rest);
  const columns = inserted(update.columns, at, { ...column, g0: opening, gRound: column.g });
  const known = ({ values, ...row }) => ({ ...row, values: inserted(values, at, null) });
  return { ...update, columns, rows: update.rows.map(known) };
};

const answered = (update, { arc, floor, ceiling, suspects, depth, detail }) => {
  const { y, exact, answers, nu, known } = detail;
  const evaluated = new Map(update.evaluated).set(y, exact);
  const bestSoFar = [...evaluated].reduce((least, each) => (each[1] < least[1] ? each : least))[0];
  const loosest = update.arcs.indexOf(arc);
  return { ...update, y, floor, ceiling, suspects, depth, evaluated, bestSoFar, answers, nu, known, loosest };
};

const lifted = (before, { floor, ceiling, suspects, detail }) => {
  const { slot, part, dead, tail, insert } = detail;
  // The lowest state is always among the columns.
  const update = insert ? widened(before, insert) : before;
  const columns = update.columns.map((column, i) => {
    if (column.parts[slot] === part[i]) return column;
    return costed({ ...column, parts: column.parts.map((value, s) => (s === slot ? part[i] : value)) }, update.rest);
  });
  const rows = [...update.rows, { ...detail, round: update.round }];
  const curve = tail ? { ...update.tail, g: tail } : update.tail;
  return { ...update, columns, rows, floor, ceiling, suspects, dead, tail: curve };
};

// Floor and ceiling have met; in an exact variant the neighbours' answers arrive only now.
const passing = (update, { state, floor, ceiling, suspects, detail }) => {
  // After deeper states, y* is the lowest column again.
  const here = update.y === state ? update : { ...update, ...SILENT, y: state };
  const met = { ...here, floor, ceiling, suspects };
  if (!detail?.answers) return met;
  const { y, answers, nu } = detail;
  return { ...met, y, bestSoFar: y, answers, nu, known: nu, evaluated: new Map([[y, ceiling]]) };
};

const STEPS = { [KIND.NODE_OPENED]: opened, [KIND.ORACLE]: answered, [KIND.ROW]: lifted };
