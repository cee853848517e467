// The run bar: everything that makes the run, chosen where it is watched.

import { clamp } from "../numbers.js";
import { number } from "../text.js";
import { otherThen } from "./charts/history.js";
import { write } from "../layout.js";

const BACK = "Back to the run before, and from there to this one again (key X)";
const ANOTHER = "another"; // a model that has to be found on Instance
const CALM = 400; // milliseconds without another press until a number is taken

export class RunBar {
  constructor(stage) {
    this.stage = stage;
    this.isChoosing = false; // between a press and the moment when it is taken
    this.has = false; // whether the next run is one that was chosen here
    this.wanted = {}; // what was chosen, until data show that Python knows it
    for (const field of this.fields) {
      field.onchange = () => (field === this.size ? this.chooseSoon() : this.choose({ [field.name]: valueOf(field) }));
    }
    this.size.oninput = () => {
      this.isChoosing = true;
    };
    for (const button of stage.root.querySelectorAll("[data-size]")) {
      button.onclick = () => this.resize(Number(button.dataset.size));
    }
    stage.$("[data-act=offer]").onclick = () => this.choose(stage.data.bar.offer);
    stage.$("[data-act=dismiss]").onclick = () => this.choose({});
    stage.$("[data-act=unmake]").onclick = () => stage.questions.ask("stop");
    stage.$("[data-act=back]").onclick = () => this.back();
  }

  get fields() {
    return this.stage.root.querySelectorAll(".run :is(select, input)");
  }

  field(name) {
    return this.stage.$(`.run [name=${name}]`);
  }

  get size() {
    return this.field("M");
  }

  // What can be chosen has come with another run.
  begin({ choices }) {
    this.choices = choices;
  }

  fill({ models, strategies, variants, schedules, most }) {
    this.choices = null;
    const lists = { strategy: strategies, variant: variants, schedule: schedules };
    for (const [name, options] of Object.entries(lists)) this.field(name).replaceChildren(...options.map(option));
    this.field("model").replaceChildren(
      ...models.filter(([, options]) => options.length).map(([kind, options]) => grouped(kind, options)),
      option({ value: ANOTHER, text: "upload, generate …", title: "" }),
    );
    this.size.max = most;
  }

  draw() {
    const { bar } = this.stage.data;
    if (this.choices) this.fill(this.choices);
    for (const field of this.fields) {
      if (!this.isChoosing) field.value = this.wanted[field.name] ?? bar.now[field.name];
      field.title = field.selectedOptions?.[0]?.title || field.title;
    }
    const [isLess, makes] = [bar.largest < bar.now.M, bar.making !== null];
    write(this.stage.$("[data-out=largest-group]"), isLess && !makes ? `largest group ${bar.largest}` : "");
    write(this.stage.$("[data-out=same-groups]"), bar.same);
    this.stage.$(".run .making").hidden = !makes;
    write(this.stage.$("[data-out=making]"), bar.making ?? "");
    const back = this.stage.$("[data-act=back]");
    back.hidden = bar.before === null;
    const then = otherThen(this.stage);
    const bound = then ? `: LB ${number(then.value)} after sweep ${then.sweeps}` : "";
    write(back, `⇄ ${bar.before ?? ""}${bound}`);
    back.title = BACK;
    this.stage.$(".refusal").hidden = bar.refusal === "";
    write(this.stage.$("[data-out=refusal]"), bar.refusal);
    const offer = this.stage.$("[data-act=offer]");
    offer.hidden = bar.offer === null;
    write(offer, `take M ${bar.offer?.M}`);
  }

  resize(by) {
    this.size.value = this.mended(Number(this.size.value) + by);
    this.chooseSoon();
  }

  chooseSoon() {
    this.isChoosing = true;
    clearTimeout(this.choosing);
    this.choosing = setTimeout(() => this.choose({ M: this.mended(this.size.value) }), CALM);
  }

  // The nearest M to a number, or to a text that is none.
  mended(typed) {
    const { min, max } = this.size;
    return clamp(Math.round(typed === "" ? this.stage.data.bar.now.M : typed), Number(min), Number(max));
  }

  choose(chosen) {
    const { stage } = this;
    this.isChoosing = false;
    if (chosen.model === ANOTHER) {
      this.draw();
      return stage.leaving.go("instance", {});
    }
    // Of two commands in a row Python sees only the later one.
    Object.assign(this.wanted, chosen);
    this.ask("choose", { chosen: { ...this.wanted } });
  }

  // Data have come. Another run may have been on its way when something was chosen: that is said again, once.
  hear({ bar }, fresh) {
    for (const [name, value] of Object.entries(this.wanted)) if (bar.now[name] === value) delete this.wanted[name];
    const lost = { ...this.wanted };
    const isAnswered = fresh || !this.stage.questions.waiting;
    if (isAnswered) this.wanted = {};
    // Refused, stopped, or nothing new: no run comes of it.
    if (!fresh && isAnswered && bar.making === null) this.has = false;
    if (fresh && Object.keys(lost).length) this.ask("choose", { chosen: lost });
  }

  // The run that was shown before, and from there this one again.
  back() {
    if (this.stage.data.bar.before !== null) this.ask("back");
  }

  ask(what, more) {
    this.stage.player.stop();
    this.has = true;
    this.stage.questions.ask(what, more);
    this.stage.draw();
  }
}

const valueOf = (field) => (field.name === "variant" ? Number(field.value) : field.value);

const option = ({ value, text, title }) => Object.assign(document.createElement("option"), { value, text, title });

const grouped = (label, options) => {
  const group = Object.assign(document.createElement("optgroup"), { label });
  group.append(...options.map(option));
  return group;
};
