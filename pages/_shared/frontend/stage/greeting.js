// What somebody new sees first: what this is, and an update to watch, with its captions. Once in a browser.

import { write } from "./layout.js";
import { calm } from "./play/player.js";

const MET = "bender-lab:met";
const LASTS = 20000; // milliseconds of the update, so that the captions can be read
// Which caption goes with an act of the update.
const CAPTIONS = { start: 0, floor: 0, answer: 1, rows: 2, pass: 3 };

export class Greeting {
  constructor(stage) {
    this.stage = stage;
    this.root = stage.$(".greeting");
    this.captions = [...this.root.querySelectorAll("li")];
    this.update = null; // the update to watch: the positions before it and after it
    this.opened = null; // the position at which the stage opened
    stage.$("[data-act=watch]").onclick = () => this.watch();
    stage.$("[data-act=next]").onclick = () => stage.pair.clock.step("round", false);
    stage.$("[data-act=greeted]").onclick = () => this.end();
  }

  begin({ greeting }) {
    this.update = localStorage.getItem(MET) ? null : greeting;
    Object.assign(this, { isWatched: false, opened: null });
    this.root.hidden = !this.update;
  }

  watch() {
    const { player } = this.stage;
    localStorage.setItem(MET, "yes");
    this.isWatched = true;
    player.jump(this.update.begin);
    this.stage.charts.reveal(); // which the captions describe
    // Who wants no motion presses for every round.
    player.add({ grain: calm.matches ? "event" : "node", backward: false }, LASTS);
  }

  end() {
    localStorage.setItem(MET, "yes");
    this.update = null;
    this.root.hidden = true;
  }

  // Whoever goes elsewhere needs it no longer.
  draw(moment) {
    if (!this.update) return;
    const { player, pair } = this.stage;
    const { position, playing } = player;
    const { begin, end } = this.update;
    this.opened ??= position;
    const isHere = this.isWatched ? begin <= position && position <= end : position === this.opened;
    if (playing || !isHere || pair.second) return this.end();
    if (this.isWatched) this.caption(moment);
  }

  caption({ act, update, over, scene }) {
    const [welcome, captions, turn] = ["welcome", "captions", "turn"].map((name) => this.stage.$(`.${name}`));
    const button = this.stage.$("[data-act=watch]");
    [welcome.hidden, captions.hidden, turn.hidden, button.hidden] = [true, false, !over && !calm.matches, true];
    if (update) write(this.stage.$("[data-out=greeted]"), this.stage.graph.nodes[update.node].label);
    const now = this.captions[CAPTIONS[act]];
    const again = scene.round > 0 ? ` Round ${scene.round + 1}.` : "";
    for (const each of this.captions) {
      each.classList.toggle("now", each === now);
      each.dataset.again = again;
    }
    write(this.stage.$("[data-out=caption]"), over || !now ? "" : now.textContent + again);
  }
}
