// The stage in a frame of another page: it names the run, and leads to the whole app.

import { write } from "../layout.js";
import { calm } from "./play/player.js";

export class Embedded {
  constructor(stage) {
    this.stage = stage;
    this.link = stage.$("[data-act=whole]");
  }

  // Another run has come.
  begin() {
    const { root, stretch } = this.stage;
    root.classList.toggle("embedded", Boolean(stretch));
    write(this.stage.$("[data-out=run]"), stretch?.run ?? "");
  }

  // All that is known at first is drawn.
  start() {
    const { stretch, player } = this.stage;
    if (stretch?.loops && !calm.matches) player.play();
  }

  draw() {
    if (!this.stage.stretch) return;
    const query = this.stage.leaving.query();
    this.link.hidden = !query;
    this.link.href = `${location.pathname}${query}`;
  }
}
