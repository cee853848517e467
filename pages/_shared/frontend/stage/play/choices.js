// What a person has chosen on the stage stays chosen when they come back to it in this tab.

const KEPT = "bender-lab:choices";
const MENUS = ["mode", "speed", "measure", "unit"];

const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");

export const keepChoices = (stage) => {
  const menus = Object.fromEntries(MENUS.map((name) => [name, stage.$(`[data-act=${name}]`).value]));
  const { fan, energy } = stage.charts;
  const { open, sorting } = stage.list;
  const { open: docked, order, chosen } = stage.drawer;
  const looks = { view: stage.panes.view, distance: energy.distance, list: { open, ...sorting.choices } };
  const drawer = { open: docked, order, chosen };
  const all = { menus, ...looks, drawer, run: stage.run, zoom: fan.zoom.range };
  sessionStorage.setItem(KEPT, JSON.stringify(all));
};

// Take up the choices; the zoom is of one run only.
export const takeUpChoices = (stage) => {
  const { menus, view, distance, list, drawer, run, zoom } = kept();
  if (!list) return;
  for (const name of MENUS) stage.$(`[data-act=${name}]`).value = menus[name];
  Object.assign(stage.player, { mode: menus.mode, speed: Number(menus.speed) });
  stage.panes.measure = menus.measure;
  stage.panes.turn(view);
  stage.list.takeUp(list);
  // A class is one of one run's messages.
  if (drawer) stage.drawer.takeUp({ ...drawer, chosen: run === stage.run ? drawer.chosen : "" });
  const { fan, energy } = stage.charts;
  Object.assign(energy, { distance });
  stage.$("[data-act=distance]").setAttribute("aria-pressed", String(distance));
  fan.chosen = menus.unit;
  fan.zoom.range = run === stage.run ? zoom : null;
};
