// Buttons and keys of the stage.

const grainOf = (event) => (event.altKey ? "sweep" : event.shiftKey ? "node" : "round");
// Which keys step, and how: an arrow by rounds or more, comma and full stop by events.
const STEPS = { ArrowLeft: true, ArrowRight: false, ",": true, ".": false };
const BACK = "x"; // to the run before
const TYPED_INTO = "input, textarea, select, summary, [role^=menu], [role=option]";

export const listen = (stage) => {
  const { root, player, questions, leaving } = stage;
  const act = (name) => stage.$(`[data-act=${name}]`);
  for (const button of root.querySelectorAll("[data-step]")) {
    button.onclick = () => player.step(button.dataset.step, false);
  }
  for (const button of root.querySelectorAll("[data-back]")) {
    button.onclick = () => player.step(button.dataset.back, true);
  }
  act("reset").onclick = () => stage.chapters.show(0);
  act("play").onclick = () => (player.playing ? player.pause() : player.play());
  act("run").onclick = () => {
    player.stop();
    if (!stage.running && !stage.working && !stage.chapters.isLast) return stage.chapters.toEnd();
    stage.stopping = Boolean(stage.running || stage.working);
    questions.ask(stage.stopping ? "stop" : "run");
    stage.draw();
  };
  act("speed").onchange = (event) => {
    player.speed = Number(event.target.value);
  };
  act("mode").onchange = (event) => {
    player.mode = event.target.value;
  };
  stage.$(".scrub").oninput = (event) => stage.chapters.show(Number(event.target.value));
  act("prove").onclick = () => questions.ask("prove");
  act("link").onclick = (event) => leaving.copyLink(event.currentTarget);
  act("flip").onclick = () => stage.select(stage.arc ^ 1);
  act("pin").onclick = () => stage.select(stage.arc >= 0 ? -1 : stage.follows(stage.moment()));
  leaving.by(act("tour"), "learn", () => ({}));
  leaving.by(stage.$(".why"), "learn", () => ({ lesson: stage.status.lesson }));
  act("keys").onclick = () => stage.$("dialog").showModal();
  act("reference").onclick = () => questions.ask("reference");
  const hear = (event) => {
    if (root.isConnected) press(stage, event);
    else document.removeEventListener("keydown", hear);
  };
  document.addEventListener("keydown", hear);
};

const press = (stage, event) => {
  const { player } = stage;
  const target = event.composedPath()[0];
  if (event.ctrlKey || event.metaKey || stage.$("dialog").open) return;
  if (target.closest(TYPED_INTO) && target !== stage.$(".scrub")) return;
  if (event.key === "?") return stage.$("dialog").showModal();
  if (stage.finder.press(event.key)) return event.preventDefault();
  if (event.key.toLowerCase() === BACK) return stage.runBar.back();
  if (stage.drawer.press(event)) return event.preventDefault();
  if (!event.defaultPrevented && stage.list.press(event, target)) return event.preventDefault();
  const back = STEPS[event.key];
  if (!event.defaultPrevented && stage.panes.camera.press(event)) return event.preventDefault();
  if (back !== undefined) player.step(event.key.startsWith("Arrow") ? grainOf(event) : "event", back);
  else if (event.key !== " ") return;
  else if (player.playing) player.pause();
  else player.play();
  event.preventDefault();
};
