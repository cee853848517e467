// The levels and their puzzles, and how far this tab has come with them.

import { html } from "../html.js";

// Verdicts of plays, in order, and how they are marked.
const MARKS = { none: "", below: "below par", par: "✓ par", above: "✓ above par", best: "★ best" };
const ORDER = Object.keys(MARKS);
// Where the tab keeps, by level and puzzle, the best verdict, and which play was shown: only a better one counts then.
const KEPT = "bender-lab:game";
const key = (level, puzzle) => `${level} ${puzzle}`;

export class Menu {
  constructor(game) {
    this.game = game;
    this.kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '{ "reached": {}, "shown": {} }');
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
    const [at, rank] = [key(level, puzzle), ORDER.indexOf(verdict)];
    if (rank > (this.kept.shown[at] ?? 0)) this.keep("reached", at, rank);
  }

  giveAway(level, puzzle, verdict) {
    this.keep("shown", key(level, puzzle), ORDER.indexOf(verdict));
  }

  keep(what, at, rank) {
    this.kept[what][at] = Math.max(this.kept[what][at] ?? 0, rank);
    sessionStorage.setItem(KEPT, JSON.stringify(this.kept));
  }

  rank(level, puzzle) {
    return this.kept.reached[key(level, puzzle)] ?? 0;
  }

  // How many puzzles of a level have reached par.
  reached(level) {
    const par = ORDER.indexOf("par");
    return this.game.levels[level - 1].puzzles.filter((_, k) => this.rank(level, k + 1) >= par).length;
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
