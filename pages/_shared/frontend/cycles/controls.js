// Buttons, keys and the slider.

import { write } from "../layout.js";
import { Menu } from "../menu.js";
import { follow } from "../pressing.js";
import { saveBy } from "../saving.js";

const TYPED_INTO = "input:not([type=range]), textarea, select, [role^=menu], [role=option]";

export class Controls {
  constructor(owner) {
    Object.assign(this, { owner, isSliding: false });
    this.listen();
  }

  get player() {
    return this.owner.player;
  }

  listen() {
    const { player, owner } = this;
    const { root } = owner;
    const act = (name) => owner.$(`[data-act=${name}]`);
    // Another model may be on its way.
    const does = (go) => (event) => owner.course && go(event.currentTarget);
    for (const button of root.querySelectorAll("[data-step]")) {
      button.onclick = does(({ dataset }) => player.step(dataset.step, false));
    }
    for (const button of root.querySelectorAll("[data-back]")) {
      button.onclick = does(({ dataset }) => player.step(dataset.back, true));
    }
    act("reset").onclick = does(() => player.show(0));
    act("play").onclick = does(() => this.toggle());
    act("end").onclick = does(() => player.toEnd());
    act("stop").onclick = () => owner.stop();
    saveBy(owner, new Menu(owner, owner.$(".menu")));
    act("speed").onchange = ({ target }) => (player.speed = Number(target.value));
    owner.$(".scrub").oninput = does(({ value }) => player.show(Number(value)));
    owner.$(".scrub").onpointerdown = () => {
      this.isSliding = true;
      follow(
        () => {},
        () => (this.isSliding = false),
      );
    };
    const hear = (event) => {
      if (root.isConnected) this.press(event);
      else document.removeEventListener("keydown", hear);
    };
    document.addEventListener("keydown", hear);
  }

  toggle() {
    if (this.player.playing) this.player.pause();
    else if (this.owner.course.end !== 0) this.player.play();
  }

  press(event) {
    const { owner, player } = this;
    if (event.ctrlKey || event.metaKey || event.defaultPrevented || !owner.course) return;
    const target = event.composedPath()[0];
    if (target.closest(TYPED_INTO)) return;
    const { net, history } = owner.halves[0];
    const grain = event.shiftKey ? "round" : "cycle";
    const does = {
      " ": () => !target.closest("button") && (this.toggle(), true),
      ArrowRight: () => (player.step(grain, false), true),
      ArrowLeft: () => (player.step(grain, true), true),
      Home: () => (player.show(0), true),
      End: () => (player.toEnd(), true),
      v: () => history.by === "program" && (net.choose(!net.isGrouped), true),
    }[event.key];
    if (does ? does() : net.camera.press(event)) event.preventDefault();
  }

  // What they show.
  draw() {
    const { player, owner } = this;
    const { course, root } = owner;
    const scrub = owner.$(".scrub");
    // Under a finger the slider keeps its range.
    if (!this.isSliding) scrub.max = course.length;
    scrub.value = player.position;
    const play = owner.$("[data-act=play]");
    play.disabled = course.end === 0;
    write(play, player.playing ? "❚❚ Pause" : player.atEnd() ? "↻ Again" : "▶ Play");
    const [isFirst, isLast] = [player.position === 0, player.atEnd()];
    for (const button of root.querySelectorAll("[data-back], [data-act=reset]")) button.disabled = isFirst;
    for (const button of root.querySelectorAll("[data-step], [data-act=end]")) button.disabled = isLast;
  }
}
