// What is shown, passed on: by a link, or in files, which the component "pictures" makes.

import { Menu } from "./menu.js";

export class Sharing {
  constructor(stage) {
    this.stage = stage;
    this.menu = new Menu(stage, stage.$(".share"));
    stage.$("[data-act=link]").onclick = (event) => stage.leaving.copyLink(event.currentTarget);
  }
}
