// The levels and their puzzles, and how far this tab has come with them.

import { html } from "../html.js";

// Verdicts of plays, in order, and how they are marked.
const MARKS = { below: "", par: "✓ par", above: "✓ above par", best: "★ best" };
const ORDER = Object.keys(MARKS);
// By level and puzzle, for as long as the tab is open: the best verdict, and whether the best play was shown, after
// which no verdict counts.
const reached = new Map();
const shown = new Set();
const key = (level, puzzle) => `${level} ${puzzle}`;

export class Menu {
  constructor(game) {
    this.game = game;
    this.titles = Array.from(game.root.querySelectorAll("[data-level] h2"), (title) => title.textContent);
    this.buttons = this.titles.map((_, k) => {
      const onclick = () => game.begin(k + 1, 1);
      return Object.assign(html("button", { type: "button" }), { onclick });
    });
    game.$(".levels").replaceChildren(...this.buttons);
    this.select = game.$("[data-choose=puzzle]");
    this.select.onchange = () => game.begin(game.level, Number(this.select.value));
  }

  // The best verdict of a puzzle counts.
  note(level, puzzle, verdict) {
    const at = key(level, puzzle);
    if (!shown.has(at)) reached.set(at, Math.max(reached.get(at) ?? 0, ORDER.indexOf(verdict)));
  }

  giveAway(level, puzzle) {
    shown.add(key(level, puzzle));
  }

  rank(level, puzzle) {
    return reached.get(key(level, puzzle)) ?? 0;
  }

  // How many puzzles of a level have reached par.
  reached(level) {
    return this.game.levels[level - 1].puzzles.filter((_, k) => this.rank(level, k + 1)).length;
  }

  draw(level, puzzle) {
    const marked = (text, rank) => `${text} ${MARKS[ORDER[rank]]}`.trim();
    this.buttons.forEach((button, k) => {
      const [count, all] = [this.reached(k + 1), this.game.levels[k].puzzles.length];
      const mark = html(
        "span",
        { class: "mark", title: `par in ${count} of ${all} puzzles` },
        count ? `✓ ${count}` : "",
      );
      button.replaceChildren(`${k + 1} ${this.titles[k]} `, mark);
      button.setAttribute("aria-pressed", String(k + 1 === level));
    });
    const options = this.game.levels[level - 1].puzzles.map(
      (_, k) => new Option(marked(String(k + 1), this.rank(level, k + 1)), String(k + 1)),
    );
    const texts = options.map((option) => option.text).join();
    if (this.texts !== texts) this.select.replaceChildren(...options);
    this.texts = texts;
    this.select.value = String(puzzle);
  }
}
