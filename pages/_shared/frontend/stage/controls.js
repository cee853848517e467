// Buttons and keys of the stage.

const grainOf = (event) => (event.altKey ? "sweep" : event.shiftKey ? "node" : "row");
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
  const jump = (position) => {
    player.stop();
    player.show(position);
  };
  act("reset").onclick = () => jump(0);
  act("play").onclick = () => (player.playing ? player.pause() : player.play());
  act("run").onclick = () => {
    player.stop();
    stage.stopping = Boolean(stage.running);
    questions.ask(stage.running ? "stop" : "run");
    stage.draw();
  };
  act("speed").onchange = (event) => {
    player.speed = Number(event.target.value);
  };
  stage.$(".scrub").oninput = (event) => jump(Number(event.target.value));
  act("link").onclick = (event) => leaving.copyLink(event.currentTarget);
  act("flip").onclick = () => stage.select(stage.arc ^ 1);
  act("look").onclick = () => leaving.go("edge", {});
  leaving.by(act("tour"), "learn", () => ({}));
  leaving.by(stage.$(".why"), "learn", () => ({ lesson: stage.status.lesson }));
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
  if (event.ctrlKey || event.metaKey) return;
  if (target.closest(TYPED_INTO) && target !== stage.$(".scrub")) return;
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") player.step(grainOf(event), event.key === "ArrowLeft");
  else if (event.key !== " " || target.tagName === "BUTTON") return;
  else if (player.playing) player.pause();
  else player.play();
  event.preventDefault();
};
