// What the couplings of the present cycle lend; at the end of a round, the shares of the cycles.

import { Picture } from "../marks/picture.js";
import { clamp, mix } from "../numbers.js";
import { number, short, shortInside } from "../text.js";
import { write } from "../layout.js";
import { isFound, pays } from "./history.js";
import { gained, preferring } from "./preferring.js";
import { TAKES } from "./player.js";
import { TALL, hit, named, others } from "./rows.js";

const LETTER = 7.4; // pixels
const NAMES = 0.36; // share of the width

export class Lending {
  constructor(owner) {
    this.owner = owner;
    this.svg = owner.$("svg.lending");
    this.picture = new Picture(this.svg, "lending", owner.tip);
  }

  // Of the half whose event was the last one.
  draw(moments) {
    const size = this.owner.sizes.of(this.svg);
    if (!size.width) return;
    this.half = this.owner.mover;
    const moment = moments[this.half.place];
    const { event } = moment;
    if (!event) {
      this.title("A cycle");
      const { by, end } = this.half.history;
      const next =
        by === "messages"
          ? "With the next one: what its couplings prefer."
          : "With the next event: what its couplings lend it.";
      const text = end === 0 ? "No cycle is frustrated: there is nothing to lend." : next;
      return this.picture.draw([{ id: "none", class: "soft", x: 0, y: TALL, text }]);
    }
    const [cycle, end] = this.half.history.by === "messages" ? [preferring, gained] : [this.cycle, this.shares];
    this.picture.draw((isFound(event) ? cycle : end).call(this, moment, size));
  }

  title(text) {
    write(this.owner.$("[data-out=lending]"), this.owner.halves.length > 1 ? `${this.half.way} · ${text}` : text);
  }

  // Rows of as many items as fit, and how many more there are.
  fitting(items, height) {
    const room = Math.max(1, Math.floor(height / TALL));
    if (items.length <= room) return [items, 0];
    return [items.slice(0, room - 1), items.length - room + 1];
  }

  frame({ width }) {
    const left = NAMES * width;
    return { left, right: width - 62, letters: Math.floor((left - 8) / LETTER) };
  }

  cycle(moment, size) {
    const { half } = this;
    const { history } = half;
    const { cost } = history.graph;
    const { edges, share } = moment.event;
    const [was, is] = [moment.before.lent, moment.after.lent];
    this.title(`Cycle of ${edges.length}: ${share > 0 ? `takes ${number(share)} from each` : "takes nothing yet"}`);
    const most = Math.max(...edges.map((edge) => cost[edge]));
    const left = (edge) => Math.max(cost[edge] - was[edge], 0);
    const [shown, more] = this.fitting(
      edges.slice().sort((a, b) => left(a) - left(b)),
      size.height,
    );
    const { left: x0, right, letters } = this.frame(size);
    const scale = (value) => (clamp(value / most, 0, 1) || 0) * (right - x0);
    const taken = moment.part(...TAKES);
    const rows = shown.flatMap((edge, k) => {
      const now = mix(was[edge], is[edge], taken);
      const rest = cost[edge] - now;
      const isSpent = rest <= 1e-9 * cost[edge];
      const y = TALL * k + 4;
      const bar = { y, height: TALL - 9 };
      const hover = (on) => half.point(on ? { through: [edge] } : null);
      const tip = () => half.net.tipOf(edge);
      const text = isSpent ? "all lent" : `${number(rest, 3)} left`;
      return [
        { id: `cost ${edge}`, class: "bar-cost", x: x0, width: scale(cost[edge]), ...bar, rx: 2 },
        { id: `lent ${edge}`, class: "bar-lent", x: x0, width: scale(was[edge]), ...bar },
        { id: `taken ${edge}`, class: "bar-taken", x: x0 + scale(was[edge]), width: scale(now - was[edge]), ...bar },
        { ...named(edge, shortInside(history.name(edge), letters), x0 - 6, y + TALL / 2 + 1), "text-anchor": "end" },
        {
          ...{ id: `left ${edge}`, class: `left-over${isSpent ? " nothing" : ""}`, x: x0 + scale(cost[edge]) + 6 },
          ...{ y: y + TALL / 2 + 1, text, means: { what: "left", edge, value: rest } },
        },
        hit(edge, history.name(edge), { y: TALL * k, width: size.width, height: TALL, hover, tip }),
      ];
    });
    return [...rows, ...others(more, shown.length, "more couplings, with more left")];
  }

  shares({ state }, size) {
    const { half } = this;
    const { history } = half;
    const { cycles, broken } = state;
    this.title(
      `Shares of ${cycles.length.toLocaleString("en")} cycle${cycles.length === 1 ? "" : "s"}, the largest first`,
    );
    const [shown, more] = this.fitting(
      cycles.slice().sort((a, b) => b.share - a.share),
      size.height,
    );
    const most = shown[0]?.share ?? 1;
    const { left, right, letters } = this.frame(size);
    const rows = shown.flatMap((cycle, k) => {
      const { number: id, share, edges, walk } = cycle;
      const [y, wide] = [TALL * k + 4, (share / most) * (right - left) * 0.6];
      const names = history.names(walk);
      const hover = (on) => half.point(on ? { edges } : null);
      const tip = () => [names, `takes ${number(share)} from each of its ${edges.length} couplings`, payment];
      const payment = pays(cycle, broken);
      return [
        { ...named(id, short(`${edges.length}: ${names}`, letters), left - 6, y + TALL / 2 + 1), "text-anchor": "end" },
        { id: `share ${id}`, class: "bar-taken", x: left, width: wide, y, height: TALL - 9, rx: 2 },
        {
          ...{ id: `pays ${id}`, class: "left-over", x: left + wide + 6, y: y + TALL / 2 + 1 },
          ...{ text: `${number(share, 3)}, ${payment}`, means: { what: "share", cycle: id, value: share } },
        },
        hit(id, `Cycle ${names}`, { y: TALL * k, width: size.width, height: TALL, hover, tip }),
      ];
    });
    return [...rows, ...others(more, shown.length, "more, with smaller shares")];
  }
}
