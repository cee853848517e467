// The charts of the stage: the ground, the bounds on the same energy axis, the loosest message on the same columns, and
// the sums behind them. All draw the same moment.

import { Energy } from "./energy.js";
import { namesWidth } from "./ends.js";
import { Exact } from "./exact.js";
import { Fan } from "./fan.js";
import { Formula } from "./formula.js";
import { Ground } from "./ground.js";
import { Message } from "./message.js";
import { isEnd, isMet } from "../play/moment.js";
import { Over } from "./over.js";
import { Progress } from "./progress.js";

const ABOVE = 10; // pixels above the frame
const BELOW = 60; // and below it: two rows of marks, and a line of text
const NARROWEST = 160; // pixels of a chart that is drawn
const LEFT = 54; // for the labels of the axis, at least
const OWN = 8; // less for the same beside the bounds, where they are not beside the ground
const LETTER = 8; // pixels that a digit takes
const TO_LABEL = 8; // from the axis to its labels

export class Charts {
  constructor(stage) {
    this.stage = stage;
    this.seen = null; // the state under the pointer
    this.energy = new Energy(stage);
    this.exact = new Exact(stage);
    Object.assign(this, { ground: new Ground(this), fan: new Fan(this), message: new Message(this) });
    Object.assign(this, { over: new Over(this), formula: new Formula(this) });
    this.pictures = [this.ground, this.fan, this.message, this.over, this.formula].map(({ picture }) => picture);
    const distance = stage.$("[data-act=distance]");
    distance.onclick = () => {
      this.energy.toggle("distance");
      distance.setAttribute("aria-pressed", String(this.energy.distance));
    };
  }

  // Everything along the time axis, or a range of it.
  show(range) {
    this.fan.zoom.range = range;
  }

  // Draw a moment; null: its events are on their way, and the last one stays.
  draw(moment) {
    if (!moment) return;
    const { ground, fan, energy } = this;
    this.moment = moment;
    this.makeRoom(moment);
    const [left, right] = [ground.svg, fan.svg].map((svg) => this.stage.sizes.of(svg));
    this.isWhole = !left.width;
    const first = this.isWhole ? right : left;
    const box = { top: ABOVE, bottom: first.height - BELOW, left: LEFT, right: first.width };
    // Other pictures write energies with as many digits, also where there is no room for this one.
    energy.settle(moment, box);
    if (first.width < NARROWEST || first.height < ABOVE + BELOW) return;
    this.beside = !this.isWhole && Math.abs(left.top - right.top) < 1;
    const progress = moment.update ? new Progress(moment) : null;
    box.left = Math.max(LEFT, TO_LABEL + LETTER * Math.max(...energy.levels().map(([, text]) => text.length)));
    if (progress) this.exact.see(progress.update, energy.opened + 1);
    const columns = ground.draw(moment, progress, { ...box, right: box.right - (this.beside ? 16 : 4) });
    if (right.width) this.drawBounds(moment, progress, box, right);
    energy.box = box;
    this.message.draw(moment, progress, columns);
    this.over.draw(moment, progress);
    this.formula.draw(moment, progress);
    this.stage.pair.drawn(this.stage);
  }

  // At the end no group has costs to show, and no message is passed: the bounds of the whole run have the room.
  makeRoom(moment) {
    const { root, graph, sizes, chapters, panes } = this.stage;
    const ended = isEnd(moment);
    root.classList.toggle("met", ended && isMet(moment, graph));
    if (ended === root.classList.contains("ended")) return;
    root.classList.toggle("ended", ended);
    sizes.forget();
    panes.lookAtAnswer(ended && chapters.all.length > 1);
  }

  drawBounds(moment, progress, box, right) {
    const { fan, energy } = this;
    const names = namesWidth(energy, moment, this.stage);
    const beside = { ...box, left: this.beside ? 0 : box.left - OWN, right: right.width - names };
    if (!this.beside) energy.box = { ...box, bottom: right.height - BELOW };
    if (beside.right <= beside.left) return;
    fan.show(moment, progress, this.beside ? beside : { ...beside, bottom: right.height - BELOW });
  }

  // Scroll to the costs, if they are not in sight.
  reveal() {
    this.ground.svg.scrollIntoView({ block: "nearest" });
  }

  // The title of a pane.
  title(name, text) {
    const title = this.stage.$(`[data-out=${name}]`);
    if (title.textContent !== text) title.textContent = title.title = text;
  }

  // Highlight a state, or again y*.
  look(state) {
    this.seen = state;
    if (!this.moment) return;
    const progress = this.moment.update && new Progress(this.moment);
    for (const sum of [this.over, this.formula]) sum.draw(this.moment, progress);
  }
}
