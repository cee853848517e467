// Other pages: links to them, the address of this one, and the questions to hold back on the way.

import { addressedWith, written } from "../fields.js";
import { addressOf, keepChoices } from "./play/choices.js";

const LEAVING = 5000; // milliseconds: if the stage is still there then, its page has not been left after all
const ANSWERED = 1000; // the longest wait, in milliseconds, for an answer before another page is requested
const CALM = 200; // milliseconds after something was chosen until the address names it
const CHOOSING = ["click", "change", "input", "keyup", "pointerup", "wheel"];

const isOurs = (path) => /\/(watch)?$/.test(path);
const isEdge = (link) => link?.pathname.endsWith("/edge");
const opensTab = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

export class Leaving {
  constructor(stage) {
    this.stage = stage;
    this.departed = Number.NEGATIVE_INFINITY;
    this.home = location.pathname;
    this.again = null; // a link that waits for an answer
    this.isStep = false; // whether the run shown was chosen: the browser's Back then leads to the one before
    this.listen();
  }

  // Another run has come.
  begin() {
    const { runBar } = this.stage;
    [this.isStep, runBar.has] = [runBar.has, false];
  }

  // Whether the page is being left.
  soon() {
    return performance.now() - this.departed < LEAVING || location.pathname !== this.home;
  }

  // A link to another page keeps the session if Streamlit opens it; with a key held it opens in a tab of its own.
  by(link, page, fields) {
    link.onclick = (event) => {
      if (opensTab(event)) return;
      event.preventDefault();
      this.go(page, fields());
    };
  }

  go(page, fields) {
    if (this.stage.stretch) return;
    keepChoices(this.stage);
    this.stage.player.stop();
    this.stage.questions.ask("go", { page, fields });
    this.departed = performance.now();
  }

  // Clicks on links are handled before Streamlit does, in the capturing phase; the browser's buttons only after it.
  listen() {
    const { root } = this.stage;
    const here = new AbortController();
    const chosen = () => (root.isConnected ? this.stateSoon() : here.abort());
    for (const name of CHOOSING) addEventListener(name, chosen, { passive: true, signal: here.signal });
    const hear = (event) => {
      if (root.isConnected) return this.hear(event);
      for (const name of ["click", "popstate"]) removeEventListener(name, hear, true);
    };
    for (const name of ["click", "popstate"]) addEventListener(name, hear, true);
  }

  hear(event) {
    const { drawer } = this.stage;
    const path = event.composedPath();
    const link = path.find((each) => each.tagName === "A");
    const stays = !link || link.target || link.download || path.includes(this.stage.root) || opensTab(event);
    if (event.type === "click" && stays) return;
    if (event.type === "popstate" && isOurs(location.pathname) && !this.soon()) {
      event.stopImmediatePropagation();
      return this.stage.questions.ask("address", { query: location.search.slice(1) });
    }
    // The message in the drawer is the one to open there.
    if (isEdge(link) && drawer.open && drawer.arc >= 0) {
      event.preventDefault();
      event.stopImmediatePropagation();
      drawer.goTo();
    } else if (isOurs((link ?? location).pathname))
      Object.assign(this, { departed: Number.NEGATIVE_INFINITY, again: null });
    else if (link) this.depart(event, () => link.click());
    else {
      this.leaveFilm();
      this.departed = performance.now();
    }
  }

  // Another page is about to be requested. A later question would count as a wish to stay, and Streamlit would show no
  // page; an unanswered one would be dropped. So the place shown is sent and answered before `again`.
  depart(event, again) {
    const { player, questions } = this.stage;
    const isFilmed = this.leaveFilm();
    const unsent = isFilmed || player.stop() || questions.settling !== null;
    if ((questions.waiting || unsent) && !this.soon()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (unsent) questions.ask("show");
      this.again = again;
      setTimeout(() => this.goOn(), ANSWERED);
    }
    this.departed = performance.now();
  }

  // What was chosen is kept, not what a film needs. Returns whether one was being made.
  leaveFilm() {
    const isFilmed = this.stage.pair.leaveFilm();
    keepChoices(this.stage);
    return isFilmed;
  }

  goOn() {
    const again = this.again;
    this.again = null;
    again?.();
  }

  // The address of this very picture, or of another place in the run, as fields; empty if it has none.
  query(place = written({ at: this.stage.player.position })) {
    const { data, arc } = this.stage;
    const pin = arc >= 0 ? `&${written({ arc })}` : "";
    return data.address && `?${data.address}&${place}${pin}${addressOf(this.stage)}`;
  }

  // The address bar opens this very picture; a link copies it. Another page's address is not ours: Streamlit may have
  // gone there while the last answer was still on its way here. That of a frame stays its page's but for the place: a
  // frame that has lost its connection is opened by it.
  stateAddress() {
    const { stretch, player } = this.stage;
    const query = stretch ? addressedWith("at", player.position) : this.query();
    if (!query || location.search === query || !isOurs(location.pathname)) return;
    if (this.isStep) History.prototype.pushState.call(history, {}, "", query);
    else history.replaceState(history.state, "", query);
    this.isStep = false;
  }

  // A choice may have changed. A pending answer will also write the address.
  stateSoon() {
    clearTimeout(this.stating);
    this.stating = setTimeout(() => {
      const { root, run, questions, player } = this.stage;
      if (!root.isConnected || run === null || questions.waiting || player.playing || this.soon()) return;
      this.stateAddress();
    }, CALM);
  }

  // The moment shown becomes a part of the talk.
  keep() {
    this.stateAddress();
    this.stage.questions.ask("keep", { query: this.query().slice(1) });
  }
}
