// What is shown, passed on: by a link, or in files, which the component "pictures" makes.

import { Menu } from "./menu.js";

const WAIT = 100; // milliseconds until that is looked for again, right after the stage has come

const pictures = async () => {
  while (!globalThis.benderLab.pictures) await new Promise((passed) => setTimeout(passed, WAIT));
  return globalThis.benderLab.pictures.main;
};

export class Sharing {
  constructor(stage) {
    this.menu = new Menu(stage, stage.$(".share"));
    stage.$("[data-act=link]").onclick = (event) => stage.leaving.copyLink(event.currentTarget);
    stage.$("[data-save=webm]").hidden = !globalThis.MediaRecorder?.isTypeSupported("video/webm");
    for (const button of this.menu.list.querySelectorAll("[data-save]")) {
      button.onclick = async () => {
        this.menu.close();
        (await pictures()).save(stage, button.dataset.save, stage.$("[data-act=span]").value);
      };
    }
  }
}
