// What somebody new sees first: what this is, and an update to watch, with its captions. Once in a browser.

import { write } from "../layout.js";
import { calm } from "./play/player.js";

const MET = "bender-lab:met";
const narrow = matchMedia("(max-width: 600px)");
const LASTS = 20000; // milliseconds of the update, so that the captions can be read
// Which caption goes with an act of the update.
const CAPTIONS = { start: 0, floor: 0, answer: 1, rows: 2, pass: 3 };

export class Greeting {
  constructor(stage) {
    this.stage = stage;
    this.root = stage.$(".greeting");
    this.captions = [...this.root.querySelectorAll("li")];
    this.update = null; // the update to watch: the positions before it and after it
    this.isMet = false;
    this.opened = null; // the position at which the stage opened
    stage.$("[data-act=watch]").onclick = () => this.watch();
    stage.$("[data-act=next]").onclick = () => stage.pair.clock.step("round", false);
    stage.$("[data-act=greeted]").onclick = () => this.end();
  }

  // With another run it stays, so that nothing moves under the pointer, but there is no update to watch.
  begin({ greeting }) {
    this.update = localStorage.getItem(MET) ? null : greeting;
    this.root.hidden &&= !this.update;
    this.welcome();
  }

  // What this is, whatever was watched before.
  welcome() {
    Object.assign(this, { isWatched: false, opened: null });
    this.tell("welcome");
    this.stage.$("[data-act=watch]").hidden = !this.update;
    write(this.stage.$("[data-out=caption]"), "");
  }

  // What the model is about: the first sentence of its description.
  asks() {
    const [first] = (this.stage.runBar.field("model").selectedOptions[0]?.title ?? "").split(/(?<=\.) /);
    return first ? `Here: ${first}` : "";
  }

  // The next page does without it.
  meet() {
    if (!this.isMet) localStorage.setItem(MET, "yes");
    this.isMet = true;
  }

  tell(...shown) {
    for (const name of ["welcome", "captions", "turn"]) this.stage.$(`.${name}`).hidden = !shown.includes(name);
  }

  watch() {
    const { player } = this.stage;
    this.meet();
    this.isWatched = true;
    player.jump(this.update.begin);
    this.stage.charts.reveal(); // which the captions describe
    // Who wants no motion presses for every round.
    player.add({ grain: calm.matches ? "event" : "node", backward: false }, LASTS);
  }

  end() {
    this.meet();
    this.update = null;
    this.root.hidden = true;
  }

  // Whoever goes elsewhere has met it.
  draw(moment) {
    if (this.root.hidden) return;
    const { player, pair } = this.stage;
    const { position, playing } = player;
    if (pair.second) return this.end();
    this.opened ??= position;
    write(this.stage.$("[data-out=asks]"), this.asks());
    const isHere = this.isWatched && this.update.begin <= position && position <= this.update.end;
    if (isHere && !playing) return this.caption(moment);
    const hasLeft = playing || position !== this.opened;
    // A phone has no room for more than the pictures.
    if (hasLeft && narrow.matches) return this.end();
    if (hasLeft) this.meet();
    if (this.isWatched) this.welcome();
  }

  caption({ act, update, over, scene }) {
    this.tell("captions", ...(over || calm.matches ? ["turn"] : []));
    this.stage.$("[data-act=watch]").hidden = true;
    if (update) write(this.stage.$("[data-out=greeted]"), this.stage.graph.nodes[update.node].label);
    const now = this.captions[CAPTIONS[act]];
    const again = scene.round > 0 && act !== "pass" ? ` Round ${scene.round + 1}.` : "";
    for (const each of this.captions) {
      each.classList.toggle("now", each === now);
      each.dataset.again = again;
    }
    write(this.stage.$("[data-out=caption]"), over || !now ? "" : now.textContent + again);
  }
}
