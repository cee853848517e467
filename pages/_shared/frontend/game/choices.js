// What can be done now: rows of words and buttons.

import { NEAR, written } from "../friends/exact.js";
import { html } from "../html.js";
import { KINDS, hundredths } from "./words.js";

const merging = (state) => ({
  text: "Merge",
  buttons: state.merges.map((pair) => ({
    ...{ key: pair, name: `${pair[0]} + ${pair[1]}`, label: `Merge tables ${pair[0]} and ${pair[1]}` },
    move: { merge: pair },
  })),
});

const opening = (state) => ({
  text: state.questions.length ? "Open until it passes" : "Open table",
  buttons: state.tablesOfTurn.map((p) => {
    const { label } = state.board.tables[p];
    const isOpen = p === state.table;
    const more = { open: p, pressed: isOpen, disabled: !state.tables.includes(p) };
    return { key: `open ${label}`, name: label, label: `Open table ${label}`, ...more };
  }),
});

// The questions to a neighbour about the state chosen.
const asking = (state, q, { chosen, about, widest }) => {
  const { position, table, board, level } = state;
  const [least, most] = [position.envelope(table, q)[chosen], position.atMost(table, q)[chosen]];
  const { label } = board.tables[q];
  const isExact = most - least < NEAR;
  return {
    text: isExact
      ? `${label} adds exactly ${hundredths(most)}`
      : `${label} adds ${hundredths(least)} to ${hundredths(most)}`,
    range: widest ? (most - least) / widest : 0,
    buttons: level.kinds.map((kind) => {
      const move = { table: state.letter(table), sender: state.letter(q), state: chosen, kind };
      const ofKind = level.kinds.length > 1 ? `, ${KINDS[kind]}` : "";
      const name = level.kinds.length > 1 ? KINDS[kind] : "Ask";
      const words = { name, label: `Ask ${label} about ${about}${ofKind}` };
      return { key: `${label} ${kind}`, ...words, move, disabled: !state.mayAsk(move) };
    }),
  };
};

// What passing now leads to.
const offerOf = ({ floor, lower, offer, level }) => {
  const score = level.price ? `; score ${hundredths(offer)}` : "";
  if (floor < lower + NEAR) return `LB stays at ${hundredths(lower)}${score}`;
  return `LB rises to the floor, ${hundredths(floor)}${score}`;
};

const choicesOf = (state, chosen) => {
  const rows = [];
  if (state.isOver) return rows;
  if (state.merges.length) rows.push(merging(state));
  if (state.tablesOfTurn.length > 1) rows.push(opening(state));
  const { position, table, board } = state;
  const neighbours = board.neighbours[table];
  const about = written(chosen, board.tables[table].friends.length);
  const { label } = board.tables[table];
  const width = (q) => position.atMost(table, q)[chosen] - position.envelope(table, q)[chosen];
  const widest = Math.max(...neighbours.map(width));
  rows.push({ text: `If ${label} is in state ${about} (press another column to choose it):`, buttons: [] });
  rows.push(...neighbours.map((q) => asking(state, q, { chosen, about, widest })));
  const name = `Pass ${label}'s messages`;
  const pass = { key: "pass", name, label: name, move: { table: state.letter(table) } };
  rows.push({ buttons: [pass], after: offerOf(state) });
  return rows;
};

// How far "at least" and "at most" are apart, as a share.
const rangeBar = (share) => {
  const bar = html("span", { class: "range" });
  bar.style.setProperty("--share", share);
  return bar;
};

export class Choices {
  constructor(game) {
    Object.assign(this, { game, box: game.$(".choices"), drawn: "" });
  }

  // Drawn anew only where something differs. The focus stays: on the same choice, or on the next one that there is.
  draw(state, chosen) {
    const rows = choicesOf(state, chosen);
    const now = JSON.stringify(rows);
    if (this.drawn === now) return;
    this.drawn = now;
    const focused = this.box.getRootNode().activeElement?.dataset.choice;
    this.box.replaceChildren(...rows.map((row) => this.row(row)));
    if (focused) this.focus(focused);
  }

  focus(key) {
    const same = this.box.querySelector(`[data-choice="${key}"]:enabled`);
    const other = same ?? this.box.querySelector("[data-choice]:enabled") ?? this.game.$("[data-act=back]");
    other.focus();
  }

  row({ text, range, buttons, after }) {
    const parts = [];
    if (text) parts.push(html("span", { class: buttons.length ? "says" : "about" }, text));
    if (range !== undefined) parts.push(rangeBar(range));
    const ends = after ? [html("span", {}, after)] : [];
    return html("div", { class: "choice" }, ...parts, ...buttons.map((each) => this.button(each)), ...ends);
  }

  button({ key, name, label, move, open, pressed, disabled = false }) {
    const state = pressed === undefined ? {} : { "aria-pressed": pressed };
    const button = html("button", { type: "button", "aria-label": label, "data-choice": key, ...state }, name);
    const act = () => (move ? this.game.move(move) : this.game.look(open));
    // The second click of a double one is not meant for what is there by then.
    const onclick = ({ detail }) => (detail < 2 ? act() : null);
    return Object.assign(button, { disabled, onclick });
  }
}
