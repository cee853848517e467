// The exact costs of all states shown, on request: they show that rows are valid everywhere, not only at y*. Python
// computes them for an update; they are valid until the messages have passed.

import { KIND } from "../kinds.js";
import { sum } from "./sums.js";

export class Exact {
  constructor(stage) {
    Object.assign(this, { stage, on: false, shown: null });
    this.forget();
    this.button = stage.$("[data-act=exact]");
    this.button.onclick = () => {
      this.on = !this.on;
      this.button.setAttribute("aria-pressed", String(this.on));
      stage.draw();
    };
  }

  forget() {
    Object.assign(this, { opened: -1, nu: new Map(), requested: "" });
  }

  // Python's answer: of each state a part for every neighbour.
  take({ opened, states, nu }) {
    if (opened !== this.opened) Object.assign(this, { opened, nu: new Map() });
    states.forEach((state, k) => this.nu.set(state, nu[k]));
  }

  // An update is shown, opened at a position. Unknown costs are requested when nothing moves.
  see(update, opened) {
    const { stage } = this;
    const { events, player, questions } = stage;
    this.button.hidden = stage.graph.exact;
    this.shown = opened;
    const isBusy = player.playing || player.scene || questions.waiting || stage.running;
    if (!this.on || stage.graph.exact || isBusy || events.get(opened - 1)?.kind !== KIND.NODE_OPENED) return;
    const states = update.columns.map(({ state }) => state).filter((state) => this.of(state) === null);
    const question = `${opened} ${states}`;
    if (!states.length || question === this.requested) return;
    this.requested = question;
    questions.ask("exact", { opened, states });
  }

  // The parts of a state, one a neighbour; null where they are not shown, or not known yet.
  of(state) {
    return this.on && this.shown === this.opened ? (this.nu.get(state) ?? null) : null;
  }

  // The exact cost of a state; null as above.
  costOf({ rest }, { state, own }) {
    const parts = this.of(state);
    return parts && rest + own + sum(parts);
  }
}
