// A frustrated loop: what its wishes lend it, and the bound.

import { mix } from "../../numbers.js";
import { number } from "../../text.js";
import { halves } from "../../friends/columns.js";
import { Friends as Model } from "../../friends/exact.js";
import { Lesson } from "../lesson.js";
import { friendMarks, placed, wishId, wishMarks } from "../../friends/people.js";
import { ABOVE, PLACES } from "./friends.js";

const SHARES = [1, 2, 4]; // from which the best is to be guessed
const BAR = 20; // pixels of a bar
// Pixels from bar to bar at most, above the first one, and below the axis of the bounds.
const [TALL, HEAD, FOOT] = [46, 14, 26];
const AXIS = 46; // pixels above that axis for names

export class Loop extends Lesson {
  begin({ names, own, wishes, loop }) {
    this.names = names.slice(0, 3);
    this.model = new Model(
      own.slice(0, 3),
      wishes.filter(([i, j]) => i < 3 && j < 3),
    );
    this.costs = this.model.wishes.map((wish) => Math.abs(wish[2]));
    this.base = this.model.own.reduce((sum, cost) => sum + Math.min(cost, 0), 0);
    this.lp = loop.lp;
    this.drags = { share: { value: 0.5, low: 0, high: 4, step: 0.5, label: "The amount that each wish lends" } };
    this.guesses = {
      highest: {
        options: () => SHARES.map(String),
        judge: (k) => ({ right: SHARES[k] === this.bestShare, why: this.reason(SHARES[k]) }),
      },
    };
  }

  // Of every wish a share is lent; the loop pays one back; what is lent beyond a cost is lost.
  lower(share) {
    const lost = this.costs.reduce((sum, cost) => sum + Math.max(share - cost, 0), 0);
    return this.base + share - lost;
  }

  get bestShare() {
    return Math.min(...this.costs);
  }

  reason(share) {
    const over = this.costs.filter((cost) => cost < share).length;
    const lower = `at ${share} LB is ${number(this.lower(share))}`;
    const many = over === 1 ? "one wish lends more than it costs" : `${over} wishes lend more than they cost`;
    if (over) return `${lower}: ${many}.`;
    if (share < this.bestShare) return `${lower}, and every wish has something left.`;
    return `${lower}; a larger amount is more than the cheapest wish costs.`;
  }

  facts() {
    return {
      base: number(this.base),
      lp: number(this.lp),
      lower: number(this.lower(this.get("share"))),
      "share-at-best": `an amount of ${number(this.bestShare)}`,
      "lower-at-best": number(this.lower(this.bestShare)),
    };
  }

  says() {
    const share = this.shown;
    return `Each wish lends ${number(share)}; the lower bound is ${number(this.lower(share))}.`;
  }

  // The share in the picture: nothing is lent before the second step, and the best at the end.
  get shown() {
    if (this.step === "alone") return 0;
    if (this.step === "closed") return mix(this.get("share"), this.bestShare, this.moved);
    return this.get("share");
  }

  marks(size) {
    const [left, right] = halves(size);
    const at = placed(PLACES, left, 40);
    const [share, optimum] = [this.shown, Math.min(...this.model.energies())];
    return [
      this.around(at, share),
      ...wishMarks(this.model.wishes, at, {
        isBroken: () => false,
        label: ([, , cost]) => (cost > 0 ? "=" : "≠"),
      }),
      ...friendMarks(this.names, at, 20, { state: 0, hidden: true, above: ABOVE }),
      ...this.bars(right, share),
      ...this.bounds(right, this.lower(share), optimum),
    ];
  }

  // Of a bar, or of what is below the last one.
  height({ top, bottom }, k) {
    const room = bottom - top - HEAD - AXIS - FOOT;
    return top + HEAD + Math.min(TALL, room / this.costs.length) * k;
  }

  // What the loop gets.
  around(at, share) {
    const d = `M${at.map((point) => point.map((v) => v.toFixed(1)).join(" ")).join("L")}Z`;
    return share > 0 && { id: "loop", class: "loop", d, "stroke-width": 10 + 3 * share };
  }

  bars(box, share) {
    const { left, right } = box;
    const most = this.drags.share.high;
    const [x0, wide] = [left + 96, right - left - 176];
    const scale = (value) => (value / most) * wide;
    return this.model.wishes.flatMap((wish, k) => {
      const [cost, y] = [this.costs[k], this.height(box, k)];
      const [lent, over] = [Math.min(share, cost), Math.max(share - cost, 0)];
      const name = `${this.names[wish[0]]}–${this.names[wish[1]]}`;
      const text = over ? `${number(over)} too much` : `${number(cost - lent)} left`;
      const bar = { y, height: BAR };
      const id = wishId(wish);
      return [
        { id: `${id} who`, class: "soft", x: x0 - 8, y: y + 15, "text-anchor": "end", text: name },
        {
          id: `${id} cost`,
          class: "bar-cost",
          x: x0,
          width: scale(cost),
          ...bar,
          means: { what: "cost", value: cost },
        },
        {
          id: `${id} lent`,
          class: "bar-lent",
          x: x0,
          width: scale(lent),
          ...bar,
          means: { what: "lent", value: lent },
        },
        over > 0 && { id: `${id} over`, class: "bar-over", x: x0 + scale(cost), width: scale(over), ...bar },
        { id: `${id} left`, class: over ? "over" : "soft", x: x0 + scale(Math.max(cost, share)) + 6, y: y + 15, text },
      ];
    });
  }

  // LB and the cheapest evening on one axis.
  bounds(box, lower, optimum) {
    const { left, right } = box;
    const y = this.height(box, this.costs.length) + AXIS;
    const [low, high] = [this.lower(this.drags.share.high), optimum + 1];
    const x = (value) => left + 20 + ((value - low) / (high - low)) * (right - left - 60);
    // Clear of the line at the cheapest evening.
    const isNear = x(optimum) - x(lower) < AXIS;
    const beside = isNear ? { x: x(lower) - 10, "text-anchor": "end" } : { x: x(lower), "text-anchor": "middle" };
    const whole = Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, k) => Math.ceil(low) + k);
    return [
      { id: "axis", class: "zero", x1: x(low), x2: x(high), y1: y, y2: y },
      ...whole.flatMap((value) => [
        { id: `at ${value}`, class: "grid", x1: x(value), x2: x(value), y1: y, y2: y + 5 },
        {
          ...{ id: `level ${value}`, class: "soft", x: x(value), y: y + 20, "text-anchor": "middle" },
          text: number(value),
        },
      ]),
      { id: "optimum", class: "optimum", x1: x(optimum), x2: x(optimum), y1: y - 40, y2: y + 5 },
      {
        ...{ id: "optimum name", class: "soft", x: x(optimum) + 6, y: y - 30, text: "cheapest evening" },
      },
      { id: "lb", class: "lb-dot", cx: x(lower), cy: y, r: 7, means: { what: "lower", value: lower } },
      { id: "lb name", class: "lb-name", ...beside, y: y - 12, text: `LB ${number(lower)}` },
    ];
  }
}
