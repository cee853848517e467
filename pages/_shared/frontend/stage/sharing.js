// What is shown, passed on: by a link, by a frame for another page, or in files, which the component "pictures" makes.

import { written } from "../fields.js";
import { turnLecture } from "../lecture.js";
import { Menu } from "../menu.js";
import { pictures, saveBy } from "../saving.js";

const SAID = 2500; // milliseconds that a button shows its result
const NO_LINK = "too long for a link: save the run, below the stage";
const SIZE = { width: 800, height: 500 }; // pixels of a frame

export class Sharing {
  constructor(stage) {
    this.stage = stage;
    this.menu = new Menu(stage, stage.$(".share"));
    this.copies(
      "link",
      () => this.link(),
      () => "copy it from the address bar",
    );
    this.copies(
      "embed",
      () => this.frame(),
      (text) => (prompt("HTML of the frame:", text) === null ? "not copied" : "copied"),
    );
    stage.$("[data-act=lecture]").onclick = () => {
      this.menu.close();
      turnLecture();
    };
    stage.$("[data-act=keep]").onclick = () => {
      this.menu.close();
      stage.leaving.keep();
    };
    saveBy(stage, this.menu);
  }

  // A button that copies a text and shows the result. Without a secure connection browsers offer no clipboard.
  copies(name, make, otherwise) {
    const button = this.stage.$(`[data-act=${name}]`);
    const { textContent } = button;
    const copied = async () => {
      if (!this.stage.data.public) return "an uploaded model cannot be in a link";
      const text = await make();
      try {
        await navigator.clipboard.writeText(text);
        return "copied";
      } catch {
        return otherwise(text);
      }
    };
    button.onclick = async () => {
      button.textContent = await copied().catch(({ message }) => message);
      // To find the part of a frame the stage goes through it, and can take no key meanwhile.
      if (this.menu.list.open) button.focus();
      setTimeout(() => Object.assign(button, { textContent }), SAID);
    };
  }

  link() {
    const { leaving } = this.stage;
    if (!leaving.query()) throw new Error(NO_LINK);
    leaving.stateAddress();
    return location.href;
  }

  // The HTML of a frame that shows a part of the run.
  async frame() {
    const { stage } = this;
    const { value } = stage.$("[data-act=part]");
    const [from, to] = value === "on" ? [stage.player.position] : await (await pictures()).partOf(stage, value);
    const loops = stage.$("[data-act=again]").checked;
    const query = stage.leaving.query(written({ from, ...(to && { to }), ...(loops && { loop: 1 }) }));
    if (!query) throw new Error(NO_LINK);
    const title = `Bender Lab: ${stage.data.model}, from event ${from}${to ? ` to ${to}` : ""}`;
    const src = `${location.origin}${location.pathname}?embed=true&${query.slice(1)}`;
    const given = { src, ...SIZE, loading: "lazy", title };
    return Object.assign(document.createElement("iframe"), given).outerHTML;
  }
}
