// Moments to go to: a list that opens, and a key for each of them.

import { number } from "../text.js";
import { write } from "../layout.js";
import { Menu } from "../menu.js";

// Of the message shown; an exact variant has none of them.
const OF_ROWS = ["row", "tight"];

export class Finder {
  constructor(stage) {
    this.stage = stage;
    this.menu = new Menu(stage, stage.$(".go-to"));
    this.share = stage.$("[data-act=share]");
    this.buttons = [...this.menu.list.querySelectorAll("[data-find]")];
    for (const button of this.buttons) button.onclick = () => this.go(button.dataset.find);
  }

  // Take a key; returns whether it is one of a moment.
  press(key) {
    const button = this.buttons.find((each) => each.dataset.key === key);
    if (button && !button.disabled) this.go(button.dataset.find);
    return Boolean(button);
  }

  go(goal) {
    const { stage } = this;
    this.menu.close();
    if (goal === "largest") return stage.player.jump(stage.history.rise.event);
    stage.player.add({ goal, message: this.message(), share: Number(this.share.value) });
  }

  message() {
    const { stage } = this;
    return stage.follows(stage.moment());
  }

  allow() {
    const { running, graph, history } = this.stage;
    const shown = this.message() >= 0 && !graph.exact;
    const is = { largest: Boolean(history.rise), ...Object.fromEntries(OF_ROWS.map((goal) => [goal, shown])) };
    for (const button of this.buttons) button.disabled = Boolean(running) || is[button.dataset.find] === false;
    const largest = this.menu.list.querySelector("[data-out=largest]");
    write(largest, history.rise ? `event ${history.rise.event}, by ${number(history.rise.gain)}` : "");
  }
}
