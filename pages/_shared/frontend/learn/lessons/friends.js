// Three friends and their eight evenings.

import { mix } from "../../numbers.js";
import { number } from "../../text.js";
import { Columns, halves } from "../../friends/columns.js";
import { Friends as Model, leastOf, statesOf, whoGoes, written } from "../../friends/exact.js";
import { Lesson } from "../lesson.js";
import { friendMarks, placed, wishId, wishMarks } from "../../friends/people.js";

const [AIR, ROOMY] = [40, 150]; // pixels around the friends, and between two that have room for words

export const PLACES = [
  [0, 0.9],
  [0.5, 0],
  [1, 0.9],
];
export const ABOVE = [1]; // the friend at the top

export class Friends extends Lesson {
  begin({ names, own, wishes }) {
    this.names = names.slice(0, 3);
    this.first = new Model(
      own.slice(0, 3),
      wishes.filter(([i, j]) => i < 3 && j < 3),
    );
    this.state = 0;
    const cost = (i, j) => Math.abs(this.first.wishes.find((wish) => wish[0] === i && wish[1] === j)[2]);
    const wish = (i, j) => ({
      ...{ value: cost(i, j), low: 0, high: 5, step: 1 },
      label: `What it costs if the wish of ${this.names[i]} and ${this.names[j]} is broken`,
    });
    this.drags = {
      ben: { value: own[1], low: -4, high: 4, step: 1, label: "What going costs Ben" },
      annBen: wish(0, 1),
      benCleo: wish(1, 2),
      annCleo: wish(0, 2),
    };
    this.guesses = {
      cheapest: {
        options: () => statesOf(3).map((state) => written(state, 3)),
        judge: (state) => ({ right: this.energies[state] === this.least, why: this.reason(state) }),
      },
    };
  }

  // The model with the numbers as they are dragged.
  get model() {
    const signed = { "0-1": this.get("annBen"), "1-2": this.get("benCleo"), "0-2": -this.get("annCleo") };
    const wishes = this.first.wishes.map(([i, j]) => [i, j, signed[`${i}-${j}`]]);
    return new Model([this.first.own[0], this.get("ben"), this.first.own[2]], wishes);
  }

  get energies() {
    return this.model.energies();
  }

  get least() {
    return Math.min(...this.energies);
  }

  words(state) {
    return whoGoes(this.names, state);
  }

  // What its energy is made of.
  parts(state) {
    const { model } = this;
    const going = this.names.filter((_, k) => (state >> k) & 1 && model.own[k]);
    const broken = model.wishes.filter((wish) => model.isBroken(wish, state) && wish[2] !== 0);
    const named = [
      ...going.map((name) => `${name} ${number(model.own[this.names.indexOf(name)])}`),
      ...broken.map(([i, j, cost]) => `broken ${this.names[i]}–${this.names[j]} ${Math.abs(cost)}`),
    ];
    return named.length ? named.join(", ") : "no wish is broken";
  }

  reason(state) {
    const { energies, least } = this;
    const best = leastOf(energies);
    const sum = (each) => `${written(each, 3)} costs ${number(energies[each])}: ${this.parts(each)}`;
    return energies[state] === least ? `${sum(state)}.` : `${sum(state)}. ${sum(best)}.`;
  }

  facts() {
    const { energies, least } = this;
    return {
      energy: `${number(energies[this.state])} (${this.words(this.state)})`,
      best: statesOf(3)
        .filter((state) => energies[state] === least)
        .map((state) => `${written(state, 3)} (${this.words(state)})`)
        .join(" and "),
      least: number(least),
    };
  }

  says() {
    return `Three friends: ${this.words(this.state)}, at energy ${number(this.energies[this.state])}.`;
  }

  // Their names, with what going costs them.
  get priced() {
    const { own } = this.model;
    return this.names.map((name, k) => (own[k] ? `${name} (${number(own[k])})` : name));
  }

  turn(state) {
    this.state = state;
    this.draw();
  }

  marks(size) {
    const { model, state } = this;
    const [left, right] = halves(size);
    const at = placed(PLACES, left, AIR);
    // Where there is no room for words, the looks of the lines are enough.
    const hasRoom = at[2][0] - at[0][0] > ROOMY;
    const first = new Map(this.first.wishes.map((wish) => [wishId(wish), wish]));
    const isBroken = (wish) => wish[2] !== 0 && model.isBroken(wish, state);
    const label = (wish) => {
      const cost = `${isBroken(wish) ? "+" : ""}${Math.abs(wish[2])}`;
      return hasRoom ? `${first.get(wishId(wish))[2] > 0 ? "together" : "apart"} ${cost}` : cost;
    };
    return [
      // A wish that costs nothing keeps its looks.
      ...wishMarks(model.wishes, at, { isBroken, label, kind: (wish) => first.get(wishId(wish))[2] }),
      ...friendMarks(this.priced, at, 20, { state, above: ABOVE, press: (k) => this.turn(state ^ (1 << k)) }),
      ...this.evenings(right),
    ];
  }

  evenings(box) {
    const { energies, least, state } = this;
    const range = [Math.min(0, least) - 0.5, Math.max(...energies) + 0.5];
    const columns = new Columns(box, statesOf(3), this.names, range);
    const rises = this.isGuessed("cheapest") ? this.moved : 0;
    return [
      ...columns.axis(),
      ...columns.bits(),
      ...energies.flatMap((energy, k) => {
        const seen = k === state ? 1 : rises;
        const kind = `known${k === state ? " shown" : ""}${rises && energy === least ? " least" : ""}`;
        return [
          { id: `energy ${k}`, class: kind, ...columns.bar(k, 0, mix(0, energy, seen)), means: { state: k, energy } },
          seen === 1 && {
            ...{ id: `value ${k}`, class: "soft value", x: columns.x(k), y: columns.y(Math.max(energy, 0)) - 5 },
            ...{ "text-anchor": "middle", text: number(energy) },
          },
        ];
      }),
      ...columns.hits({
        chosen: state,
        label: (k) => `Evening ${written(k, 3)}: ${this.words(k)}${rises ? `, costs ${number(energies[k])}` : ""}`,
        press: (k) => this.turn(k),
        tip: (k) => [`${written(k, 3)}: ${this.words(k)}`, this.parts(k)],
      }),
    ];
  }
}
