// An update of a body part with 64 states: how few of them are asked, and the work.

import { mix } from "../../numbers.js";
import { number } from "../../text.js";
import { Lesson } from "../lesson.js";

const AXIS = 60; // pixels for the numbers beside the columns
const [HEAD, FOOT] = [40, 40]; // pixels above and below them
const LETTER = 8; // pixels
const FOOTNOTE = "64 states, the cheapest first as the update begins";
const OPTIONS = [5, 16, 32, 64];
const inThousands = (entries) => entries.toLocaleString("en");
const ROUNDED = 1e-6; // as the recording is rounded
const ROOM = 0.04; // share of the heights that is free above and below

export class Saving extends Lesson {
  begin({ update }) {
    this.update = update;
    this.rounds = update.rounds;
    this.count = this.rounds[0].ground.length;
    const first = this.rounds[0].ground;
    // One order for the whole update: by what was known at its beginning.
    this.order = first.map((_, state) => state).sort((a, b) => first[a] - first[b]);
    this.places = new Map(this.order.map((state, place) => [state, place]));
    this.guesses = {
      asked: {
        options: () => OPTIONS.map((count) => `about ${count}`),
        judge: (k) => ({ right: k === this.nearest, why: this.reason() }),
      },
    };
  }

  get asked() {
    return new Set(this.rounds.map(({ y }) => y)).size;
  }

  // The option that is nearest to the truth.
  get nearest() {
    const off = OPTIONS.map((count) => Math.abs(count - this.asked));
    return off.indexOf(Math.min(...off));
  }

  reason() {
    const few = `${this.asked} of ${this.count}`;
    return `${few}: a row lifts many columns at once, and it is enough to ask at the lowest, again and again.`;
  }

  facts() {
    return {
      part: `the ${this.update.part}`,
      asked: String(this.asked),
      exact: inThousands(this.update.read.exact),
      rows: inThousands(this.update.read.rows),
      factor: number(this.update.read.exact / this.update.read.rows, 2),
    };
  }

  says() {
    const { exact, rows } = this.facts();
    if (this.step === "work") return `Table entries read: ${exact} by all pairs, ${rows} with rows.`;
    const { floor, ceiling } = this.rounds[this.round];
    return `Round ${this.round + 1}: floor ${number(floor)}, ceiling ${number(ceiling)}.`;
  }

  get lasts() {
    return this.step === "rounds" ? 1000 * this.rounds.length : super.lasts;
  }

  // The round shown: they follow each other in the second step.
  get round() {
    if (this.step === "ground") return 0;
    if (this.step === "rounds") return Math.min(Math.floor(this.moved * this.rounds.length), this.rounds.length - 1);
    return this.rounds.length - 1;
  }

  marks(size) {
    if (this.step === "work") return this.work(size);
    const { width, height } = size;
    const [left, right, top, bottom] = [AXIS, width - 96, HEAD, height - FOOT];
    const grounds = this.rounds.flatMap(({ ground }) => ground);
    const [low, high] = [Math.min(...grounds), Math.max(...grounds)];
    const pad = ROOM * (high - low);
    const y = (value) => bottom - ((value - low + pad) / (high - low + 2 * pad)) * (bottom - top);
    const step = (right - left) / this.count;
    const x = (place) => left + step * place;
    return [
      { id: "title", class: "title", x: left, y: 12, text: this.title(right - left) },
      ...this.columns({ x, y, step, bottom }),
      ...this.dots({ x, y, step }),
      ...this.level("ceiling", y, left, right),
      ...this.level("floor", y, left, right),
      {
        id: "foot",
        class: "soft",
        x: left,
        y: bottom + 22,
        text: right - left > LETTER * FOOTNOTE.length ? FOOTNOTE : "64 states",
      },
    ];
  }

  title(width) {
    const round = this.step === "ground" ? "" : `, round ${this.round + 1}`;
    const long = `Update of the ${this.update.part}${round}: what each state costs at least`;
    return width > LETTER * long.length ? long : `The ${this.update.part}${round}`;
  }

  columns({ x, y, step, bottom }) {
    const { ground, ceiling } = this.rounds[this.round];
    const first = this.rounds[0].ground;
    // The cheapest state asked about so far.
    const best = this.rounds.find((round) => round.ceiling < ceiling + ROUNDED).y;
    return this.order.flatMap((state, place) => {
      const at = { x: x(place), width: Math.max(step - 1, 1) };
      const out = ground[state] > ceiling - ROUNDED && state !== best ? " ruled-out" : "";
      const rose = ground[state] > first[state] + ROUNDED;
      return [
        { id: `known ${state}`, class: `known${out}`, ...at, y: y(first[state]), height: bottom - y(first[state]) },
        rose && {
          ...{ id: `lifted ${state}`, class: `lifted${out}`, ...at, y: y(ground[state]) },
          height: y(first[state]) - y(ground[state]),
        },
      ];
    });
  }

  // A triangle at every state that was asked; where it is now, a larger one.
  dots({ x, y, step }) {
    return this.rounds.slice(0, this.round + 1).map(({ y: state }, k) => {
      const [cx, now] = [x(this.places.get(state)) + step / 2, k === this.round];
      const at = y(this.rounds[this.round].ground[state]) - (now ? 18 : 14);
      const r = now ? 8 : 5;
      return {
        ...{ id: `asked ${k}`, class: "anchor", d: `M${cx - r} ${at}h${2 * r}l${-r} ${r * 1.5}z` },
        means: { what: "asked", round: k, state },
      };
    });
  }

  level(name, y, left, right) {
    const before = this.rounds[Math.max(this.round - 1, 0)][name];
    const within = this.step === "rounds" ? (this.moved * this.rounds.length) % 1 || 1 : 1;
    const value = mix(before, this.rounds[this.round][name], Math.min(2 * within, 1));
    const text = `${name} ${number(this.rounds[this.round][name], 4)}`;
    const below = name === "floor" ? 16 : -6;
    return [
      {
        id: name,
        class: `${name}-line`,
        x1: left,
        x2: right,
        y1: y(value),
        y2: y(value),
        means: { what: name, value: this.rounds[this.round][name] },
      },
      { id: `${name} name`, class: `${name}-name`, x: right + 4, y: y(value) + below, text },
    ];
  }

  // Table entries, side by side.
  work({ width, height }) {
    const { exact, rows } = this.update.read;
    const wide = width - 200;
    const bar = (name, words, value, k, kind) => [
      { id: `${name} who`, class: "soft", x: 8, y: height / 2 - 62 + 74 * k, text: words },
      {
        ...{ id: name, class: kind, x: 8, y: height / 2 - 50 + 74 * k, height: 30, width: (value / exact) * wide },
        means: { what: name, value },
      },
      {
        id: `${name} text`,
        class: "title",
        x: 16 + (value / exact) * wide,
        y: height / 2 - 29 + 74 * k,
        text: inThousands(value),
      },
    ];
    return [
      { id: "title", class: "title", x: 8, y: 12, text: "Table entries read in this update" },
      ...bar("exact", "all pairs of states", exact, 0, "known"),
      ...bar("rows", "rows and questions", rows, 1, "lb-bar now"),
    ];
  }
}
