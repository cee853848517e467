// The choices that decide the picture besides the run: the address names them, so that a link opens this very picture;
// those that it does not name have their defaults. Within a tab, choices survive leaving the stage.

import { addressed, fits, isUsual, usual, written } from "../../fields.js";
import { clamp } from "../../numbers.js";
import { FARTHEST } from "../../camera.js";

const KEPT = "bender-lab:choices";
const DIGITS = 5;

const joined = (numbers) => numbers.map((value) => Number(value.toPrecision(DIGITS))).join("_");
const numbersOf = (text) => text.split("_").map(Number);

const choose = (stage, name, value) => {
  stage.$(`[data-act=${name}]`).value = value;
};
const press = (stage, name, on) => stage.$(`[data-act=${name}]`).setAttribute("aria-pressed", on);

// For every choice, by the name of its field: its text (empty: none), and how to apply it, or its default. `own`: it
// belongs to one run; `listed`: it shows in the list; `isTolerant`: it uses what it can of a text that its field does
// not allow.
const LOOKS = {
  view: {
    of: ({ panes }) => panes.view,
    take: ({ panes }, view) => panes.turn(view),
  },
  measure: {
    of: ({ panes }) => panes.measure,
    take: (stage, measure) => {
      choose(stage, "measure", measure);
      stage.panes.measure = measure;
    },
  },
  camera: {
    of: ({ panes: { camera, size } }) => (camera.scale === 1 ? "" : joined([camera.scale, ...camera.shares(size)])),
    take: ({ panes: { camera } }, text) => {
      const [scale, ...shares] = numbersOf(text || "1");
      camera.scale = clamp(scale, 1, FARTHEST);
      // Shares of the pane until that has a size.
      camera.corner = [0, 1].map((k) => clamp(shares[k] ?? 0, 1 - camera.scale, 0));
    },
    own: true,
  },
  // Those that a person has moved: of each its number, and its place in shares of the pane.
  circles: {
    of: ({ panes }) => joined(Object.entries(panes.places.kept).flatMap(([p, at]) => [Number(p), ...at])),
    take: ({ panes }, text) => {
      const [numbers, kept] = [text ? numbersOf(text) : [], {}];
      for (let k = 0; k + 2 < numbers.length; k += 3) kept[numbers[k]] = numbers.slice(k + 1, k + 3);
      panes.places.put(kept);
    },
    own: true,
  },
  exact: {
    of: ({ charts }) => (charts.exact.on ? "1" : ""),
    take: (stage, text) => {
      stage.charts.exact.on = text === "1";
      press(stage, "exact", text === "1");
    },
  },
  distance: {
    of: ({ charts }) => (charts.energy.distance ? "1" : ""),
    take: (stage, text) => {
      stage.charts.energy.distance = text === "1";
      press(stage, "distance", text === "1");
    },
  },
  whole: {
    of: ({ charts }) => (charts.energy.whole ? "1" : ""),
    take: ({ charts }, text) => Object.assign(charts.energy, { whole: text === "1" }),
  },
  axis: {
    of: ({ charts }) => charts.fan.chosen,
    take: (stage, unit) => {
      choose(stage, "unit", unit);
      stage.charts.fan.chosen = unit;
    },
  },
  zoom: {
    of: ({ charts }) => (charts.fan.zoom.range ? joined(charts.fan.zoom.range) : ""),
    take: ({ charts }, text) => {
      const [from, to] = numbersOf(text);
      charts.fan.zoom.range = from < to ? [from, to] : null;
    },
    own: true,
  },
  list: {
    of: ({ list }) => (list.open ? "1" : ""),
    take: ({ list }, text) => list.takeUp({ open: text === "1" }),
  },
  sort: {
    of: ({ list }) => list.sorting.key,
    take: ({ list }, key) => list.takeUp({ key }),
    listed: true,
  },
  up: {
    of: ({ list }) => (list.sorting.ascends ? "1" : ""),
    take: ({ list }, text) => list.takeUp({ ascends: text === "1" }),
    listed: true,
  },
  find: {
    of: ({ list }) => list.sorting.text,
    take: ({ list }, text) => list.takeUp({ text }),
    listed: true,
  },
  only: {
    of: ({ list }) => list.sorting.only,
    take: ({ list }, only) => list.takeUp({ only }),
    listed: true,
  },
  // The message in the drawer, where none is pinned: it may be one of an earlier update.
  docked: {
    of: ({ arc, drawer }) => (drawer.open && arc < 0 && drawer.arc >= 0 ? String(drawer.arc) : ""),
    take: ({ graph, drawer }, arc) => arc && Number(arc) < 2 * graph.edges.length && drawer.dock(Number(arc)),
    own: true,
  },
  drawer: {
    of: ({ drawer }) => (drawer.open ? drawer.order : ""),
    take: ({ drawer }, order) => drawer.takeUp({ open: order !== "", order: order || drawer.order }),
    isTolerant: true,
  },
  y: {
    of: ({ drawer }) => (drawer.open ? drawer.chosen : ""),
    take: ({ drawer }, chosen) => drawer.takeUp({ chosen }),
    own: true,
  },
  reveal: {
    of: ({ lecture }) => lecture.layers,
    take: ({ lecture }, layers) => lecture.reveal(layers),
  },
};

const looksOf = (stage, isWritten) => {
  const all = Object.entries(LOOKS).map(([name, look]) => [name, look.of(stage), look]);
  const seen = all.filter(([name, text, look]) => text && isWritten(name, text, look));
  return Object.fromEntries(seen.map(([name, text]) => [name, text]));
};

// The looks as a part of the address, after the rest of it.
export const addressOf = (stage) => {
  const isSeen = (name, text, { listed }) => !isUsual(name, text) && (stage.list.open || !listed);
  const text = written(looksOf(stage, isSeen));
  return text && `&${text}`;
};

export const keepChoices = (stage) => {
  const { mode, speed } = stage.player;
  const own = { run: stage.run, mode, speed: String(speed), order: stage.drawer.order };
  sessionStorage.setItem(KEPT, JSON.stringify({ ...own, looks: looksOf(stage, () => true) }));
};

const take = (stage, looks) => {
  for (const [name, look] of Object.entries(LOOKS)) {
    const text = looks[name];
    if (text && (look.isTolerant || fits(name, text))) look.take(stage, text);
  }
};

// Apply the choices of an address, and the defaults of all others.
export const wear = (stage, fields) => {
  for (const [name, look] of Object.entries(LOOKS)) {
    const text = fields[name] ?? "";
    look.take(stage, text && (look.isTolerant || fits(name, text)) ? text : usual(name));
  }
};

// Apply the choices that the address names; for the bare address of the page, as Streamlit opens it, the last ones in
// this tab. Some belong to one run only.
export const takeUpChoices = (stage) => {
  // Browsers may refuse storage to a frame.
  const text = stage.stretch ? null : sessionStorage.getItem(KEPT);
  const { run, mode, speed, order, looks } = JSON.parse(text ?? "{}");
  if (mode) {
    choose(stage, "mode", mode);
    choose(stage, "speed", speed);
    Object.assign(stage.player, { mode, speed: Number(speed) });
  }
  const fields = addressed();
  if (Object.keys(fields).length) {
    stage.panes.places.put({});
    return take(stage, fields);
  }
  if (!looks) return;
  stage.drawer.takeUp({ order });
  const kept = Object.entries(looks).filter(([name]) => run === stage.run || !LOOKS[name]?.own);
  take(stage, Object.fromEntries(kept));
};
