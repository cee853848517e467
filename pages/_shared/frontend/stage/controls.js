// Buttons and keys of the stage.

import { isLecture } from "../lecture.js";
import { listKeys, openKeys } from "./keys.js";
import { Menu } from "../menu.js";

const grainOf = (event) => (event.altKey ? "sweep" : event.shiftKey ? "node" : "round");
// Which keys step, and how: an arrow by rounds or more, comma and full stop by events.
const STEPS = { ArrowLeft: true, ArrowRight: false, ",": true, ".": false };
const EVENTS = [",", "."];
const PAGES = { PageUp: true, PageDown: false }; // as presenters send them
const BACK = "x"; // to the run before
const PAIR = "c"; // another run beside this one
const VIEW = "v"; // the next view of the model
const TYPED_INTO = "input, textarea, select, summary, [role^=menu], [role=option]";

export const listen = (stage) => {
  listenToPanes(stage);
  if (!stage.first) listenToAll(stage);
};

const actOf = (stage) => (name) => stage.$(`[data-act=${name}]`);

const listenToAll = (stage) => {
  const { root, questions, leaving, pair } = stage;
  const { clock } = pair;
  const act = actOf(stage);
  for (const button of root.querySelectorAll("[data-step]")) {
    button.onclick = () => clock.step(button.dataset.step, false);
  }
  for (const button of root.querySelectorAll("[data-back]")) {
    button.onclick = () => clock.step(button.dataset.back, true);
  }
  act("reset").onclick = () => stage.chapters.show(0);
  act("play").onclick = () => (clock.playing ? clock.pause() : clock.play());
  act("run").onclick = () => {
    const stops = pair.stages.some((each) => each.running || each.working);
    clock.begin();
    for (const each of pair.stages) run(each, stops);
  };
  act("speed").onchange = (event) => {
    for (const { player } of pair.stages) player.speed = Number(event.target.value);
  };
  act("mode").onchange = (event) => {
    for (const { player } of pair.stages) player.mode = event.target.value;
  };
  stage.$(".scrub").oninput = (event) => stage.chapters.show(Number(event.target.value));
  act("prove").onclick = () => questions.ask("prove");
  leaving.by(act("tour"), "learn", () => ({}));
  listKeys(stage.$("table.known"));
  const help = new Menu(stage, stage.$(".help"));
  act("keys").onclick = () => {
    help.close();
    openKeys(stage.$("dialog"));
  };
  act("reference").onclick = () => questions.ask("reference");
  const hear = (event) => {
    if (root.isConnected) press(stage, event);
    else document.removeEventListener("keydown", hear);
  };
  document.addEventListener("keydown", hear);
};

const listenToPanes = (stage) => {
  const act = actOf(stage);
  act("below").onclick = () => stage.charts.reveal();
  act("flip").onclick = () => stage.select(stage.arc ^ 1);
  act("skip").onclick = () => stage.$("svg.fan").focus();
  act("pin").onclick = () => stage.select(stage.arc >= 0 ? -1 : stage.follows(stage.moment()));
  stage.leaving.by(stage.$(".why"), "learn", () => ({ lesson: stage.status.lesson }));
};

// Run to the end, or stop what is computed.
const run = (stage, stops) => {
  stage.player.stop();
  if (!stops && !stage.chapters.isLast) return stage.chapters.toEnd();
  if (!stops && stage.player.atEnd()) return;
  stage.stopping = stops;
  stage.questions.ask(stops ? "stop" : "run");
  stage.draw();
};

// Whether a key is for the field that has the focus: no letter is for a number.
const isTyping = (stage, target, key) => {
  if (!target.closest(TYPED_INTO) || target === stage.$(".scrub")) return false;
  return target.type !== "number" || !/^[a-z]$/i.test(key);
};

// Take a key that leads to another moment or to another run; returns whether it is one.
const leads = (stage, key) => {
  if (stage.finder.press(key)) return true;
  const lead = { [BACK]: () => stage.runBar.back(), [PAIR]: () => stage.pair.toggle() }[key.toLowerCase()];
  lead?.();
  return Boolean(lead);
};

const press = (stage, event) => {
  const { clock } = stage.pair;
  const target = event.composedPath()[0];
  if (event.ctrlKey || event.metaKey || stage.$("dialog").open) return;
  if (isTyping(stage, target, event.key)) return;
  if (event.key === "?") return openKeys(stage.$("dialog"));
  if (stage.talk.press(event) || stage.lecture.press(event.key)) return event.preventDefault();
  if (!stage.stretch && leads(stage, event.key)) return event.preventDefault();
  if (event.key.toLowerCase() === VIEW) return stage.panes.lookOn();
  if (stage.drawer.press(event)) return event.preventDefault();
  if (!event.defaultPrevented && stage.list.press(event, target)) return event.preventDefault();
  const back = STEPS[event.key] ?? (isLecture() ? PAGES[event.key] : undefined);
  if (!event.defaultPrevented && stage.panes.camera.press(event)) return event.preventDefault();
  if (back !== undefined) clock.step(EVENTS.includes(event.key) ? "event" : grainOf(event), back);
  else if (event.key !== " ") return;
  else if (clock.playing) clock.pause();
  else clock.play();
  event.preventDefault();
};
