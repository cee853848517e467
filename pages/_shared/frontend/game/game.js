// The game "Beat the bound": a player takes the place of the engine. All of it happens here; Python has dealt the
// puzzles, and keeps the address.

import { written } from "../fields.js";
import { Sizes, write } from "../layout.js";
import { leastOf } from "../friends/exact.js";
import { Picture } from "../marks/picture.js";
import { clamp } from "../numbers.js";
import { dress, isDark } from "../palette.js";
import { number } from "../text.js";
import { Tip } from "../tip.js";
import { Choices } from "./choices.js";
import { groundMarks } from "./ground.js";
import { Menu } from "./menu.js";
import { readMoves, replay, writeMoves } from "./play.js";
import { tableMarks } from "./tables.js";
import { trackMarks } from "./track.js";
import { ending, news, hundredths, verdictOf } from "./words.js";

const LASTS = 700; // milliseconds that columns and bounds move
const THEME = 500; // milliseconds between two looks at the colours of the page
const SAID = 2000; // milliseconds that "copied" stays
const PACE = 2200; // milliseconds between two moves of a play that is shown
const COPY = "Copy link";
const PICTURES = ["track", "tables", "ground"];
const WRONG = "The moves in this link do not fit the puzzle; here is its beginning.";

class Game {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.tip = new Tip(this.$(".tip"), root);
    this.sizes = new Sizes(() => this.draw());
    this.pictures = Object.fromEntries(PICTURES.map((name) => [name, new Picture(this.svg(name), name, this.tip)]));
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.seen = new Set();
    this.menu = new Menu(this);
    this.choices = new Choices(this);
    this.followTheme();
    this.listen();
  }

  svg(name) {
    return this.$(`.${name}-box svg`);
  }

  // `level` and `puzzle`, from 1; `moves`: of a play, as text. What has been here comes again when Python is behind.
  receive({ level, puzzle, moves }, send) {
    this.send = send;
    const play = { level, puzzle, moves };
    if (this.isSeen(play)) return;
    this.see(play);
    this.open(level, puzzle, readMoves(moves));
  }

  see(play) {
    this.seen.add(JSON.stringify(play));
  }

  isSeen(play) {
    return this.seen.has(JSON.stringify(play));
  }

  get levels() {
    return globalThis.benderLab.levels;
  }

  // Begin with a puzzle, after some moves.
  open(level, puzzle, moves = []) {
    const rules = this.levels[level - 1];
    Object.assign(this, { level, puzzle, rules, dealt: rules.puzzles[puzzle - 1], own: null });
    const states = moves && replay(rules, this.dealt, moves);
    this.moves = states ? moves : [];
    // Only what is played here from its beginning counts.
    this.counts = !this.moves.length;
    this.states = states ?? replay(rules, this.dealt, []);
    this.wrong = !states;
    this.showing = null;
    this.go(this.states.length - 1, false);
    if (this.wrong) this.say();
  }

  get state() {
    return this.states[this.at];
  }

  // Show the state after some moves.
  go(at, plays) {
    clearTimeout(this.pacing);
    this.tip.hide();
    this.from = plays ? this.state.score : this.states[at].score;
    this.at = at;
    this.shown = this.state;
    // What was asked about stays in sight.
    this.chosen = this.state.questions.length ? this.state.last.state : null;
    this.begun = plays && !this.still.matches ? performance.now() : null;
    this.draw();
  }

  move(move) {
    const next = this.shown.after(move);
    if (!next) return;
    Object.assign(this, { showing: null, wrong: false, counts: this.counts || this.at === 0 });
    this.moves = [...this.moves.slice(0, this.at), move];
    this.states = [...this.states.slice(0, this.at + 1), next];
    if ((next.isOver || next.isBest) && this.counts)
      this.menu.note(this.level, this.puzzle, verdictOf(next, this.dealt));
    this.go(this.at + 1, true);
    this.say();
  }

  // The play until now, as the address has it.
  get play() {
    return { level: this.level, puzzle: this.puzzle, moves: writeMoves(this.moves.slice(0, this.at)) };
  }

  // Python writes the play into the address.
  say() {
    this.see(this.play);
    this.send("play", this.play);
  }

  listen() {
    const acts = {
      back: () => this.press(-1),
      forward: () => this.press(1),
      restart: () => this.begin(this.level, this.puzzle),
      best: () => this.showPlay("best"),
      par: () => this.showPlay("par"),
      own: () => this.resume(),
      next: () => this.begin(this.level, (this.puzzle % this.rules.puzzles.length) + 1),
      link: () => this.copy(),
    };
    for (const [name, act] of Object.entries(acts)) this.$(`[data-act=${name}]`).onclick = act;
    // Whatever is pressed ends a play that is shown; a key held down presses only once.
    this.root.addEventListener("click", () => clearTimeout(this.pacing), true);
    this.root.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && event.preventDefault());
  }

  step(by) {
    this.go(clamp(this.at + by, 0, this.states.length - 1), by > 0);
    this.say();
  }

  press(by) {
    this.step(by);
    // The focus goes on where a button has come to its end.
    const [here, there] = ["back", "forward"].map((name) => this.$(`[data-act=${name}]`));
    if (by < 0 && here.disabled) there.focus();
    if (by > 0 && there.disabled) here.focus();
  }

  begin(level, puzzle) {
    this.open(level, puzzle);
    this.say();
  }

  // The best play, or the engine's, from its beginning, move by move until something is pressed.
  showPlay(name) {
    this.menu.giveAway(this.level, this.puzzle, name);
    const own = this.showing ? this.own : { moves: this.moves, counts: this.counts };
    this.open(this.level, this.puzzle, readMoves(this.dealt[name].moves));
    Object.assign(this, { showing: name, own });
    this.go(0, false);
    this.say();
    this.playOn();
  }

  playOn() {
    this.pacing = setTimeout(() => {
      if (!this.root.isConnected) return;
      this.step(1);
      if (this.at < this.moves.length) this.playOn();
    }, PACE);
  }

  // Back to the own play, after another one was shown.
  resume() {
    const { moves, counts } = this.own;
    this.open(this.level, this.puzzle, moves);
    this.counts = counts;
    this.say();
  }

  async copy() {
    const link = `${location.origin}${location.pathname}?${written(this.play)}`;
    const element = this.$("[data-act=link]");
    clearTimeout(this.copied);
    try {
      await navigator.clipboard.writeText(link);
      element.textContent = "copied";
    } catch {
      // Without a secure connection browsers offer no clipboard.
      write(this.$(".news"), link);
    }
    this.copied = setTimeout(() => write(element, COPY), SAID);
  }

  draw() {
    if (!this.states) return;
    cancelAnimationFrame(this.frame);
    this.moved = this.begun === null ? 1 : clamp((performance.now() - this.begun) / LASTS, 0, 1);
    this.drawPictures();
    if (this.moved < 1) this.frame = requestAnimationFrame(() => this.draw());
    else this.begun = null;
    this.drawWords();
  }

  drawPictures() {
    const { shown, moved, from } = this;
    const chosen = this.chosen ?? leastOf(shown.ground.least);
    this.choosing = chosen;
    const choose = (state) => {
      this.chosen = state;
      this.draw();
    };
    const names = shown.board.tables[shown.table].friends.map((friend) => this.dealt.names[friend]);
    this.drawPicture("track", (size) => trackMarks(shown, size, { moved, from }));
    this.svg("track").setAttribute("aria-label", this.progress());
    this.drawPicture("tables", (size) => tableMarks(shown, size, chosen, (p) => this.look(p)));
    this.drawPicture("ground", (size) => groundMarks(shown, size, { chosen, choose, moved, names }));
  }

  // Nothing has a place before the page is laid out.
  drawPicture(name, marks) {
    const size = this.sizes.of(this.svg(name));
    if (size.width) this.pictures[name].draw(marks(size));
  }

  progress() {
    const { par, best, optimum } = this.dealt;
    const [now, aim, most, least] = [this.state.score, par.score, best.score, optimum].map(hundredths);
    return `Score ${now}, par ${aim}, best possible ${most}, optimum ${least}`;
  }

  // Look at a table before anything is asked for it.
  look(table) {
    this.shown = this.state.open(table);
    this.chosen = null;
    this.draw();
  }

  drawWords() {
    const { state, dealt, rules } = this;
    this.menu.draw(this.level, this.puzzle);
    for (const section of this.root.querySelectorAll("[data-level]"))
      section.hidden = Number(section.dataset.level) !== this.level;
    write(this.$("[data-value=price]"), number(rules.price));
    const dots = (left, all) => "●".repeat(left) + "○".repeat(all - left);
    const turns = rules.turns.length;
    const left = (count, all, what) => `${count} of ${all} ${what} left ${dots(count, all)}`;
    const budget = [left(state.left, rules.questions, "questions")];
    if (turns > 1) budget.push(left(turns - state.turn, turns, "turns"));
    write(this.$(".budget"), budget.join(" · "));
    write(this.$(".news"), this.news(state));
    this.choices.draw(this.shown, this.choosing);
    this.drawEnd(state, dealt);
    this.$("[data-act=back]").disabled = this.at === 0;
    this.$("[data-act=forward]").disabled = this.at === this.states.length - 1;
    this.$("[data-act=restart]").disabled = !this.moves.length;
    const isKnown = state.isOver || state.isBest || this.showing !== null;
    for (const name of ["best", "par", "next"]) this.$(`[data-act=${name}]`).hidden = !isKnown;
    this.$("[data-act=own]").hidden = !this.own?.moves.length;
  }

  news(state) {
    if (this.wrong) return WRONG;
    if (!this.showing || this.at > 0) return news(state);
    const whose = this.showing === "best" ? "The best play" : "The engine's play";
    return `${whose} has ${this.moves.length} moves.`;
  }

  drawEnd(state, dealt) {
    const isEnd = state.isOver || state.isBest;
    this.$(".end").hidden = !isEnd;
    if (!isEnd) return;
    write(this.$(".verdict"), ending(state, dealt));
    write(this.$(".end .lesson"), this.$(`[data-level="${this.level}"] .lesson`).textContent);
  }

  followTheme() {
    this.dress();
    const timer = setInterval(() => {
      if (!this.root.isConnected) return clearInterval(timer);
      return isDark(this.root) === this.dark ? null : this.dress();
    }, THEME);
  }

  dress() {
    this.dark = isDark(this.root);
    dress(this.root, this.dark);
    this.root.classList.toggle("dark", this.dark);
  }
}

export const receive = (root, data, send) => {
  root.game ??= new Game(root);
  root.game.receive(data, send);
};
