// Draws a page before the app is there, in its place. The loader takes it away when the page is drawn.

import { recalled } from "./tour.js";

const AT_MOST = 10000; // milliseconds that it stays once the app is there
const EVERY = 100; // milliseconds between two looks at the address and at the app
const APP = "[data-testid=stMain]";
const SAYS_ELSE = "[data-testid=stException], [role=dialog]"; // an error, or a lost connection

// A browser may refuse to remember anything.
const remembered = (key) => {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
};

// The colours that were chosen in the app, or those of the system.
const coloursOf = ({ light, dark }) => {
  const chosen = remembered(`stActiveTheme-${location.pathname}-v2`);
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return chosen.includes("Dark") || (isDark && !chosen.includes("Light")) ? dark : light;
};

// Learn goes on where this browser was; it may remember a lesson of an earlier version.
const resumed = (page, data) => {
  if (!data.lesson) return data;
  const { lesson, done } = recalled(data);
  return { ...data, done, lesson: page.includes(`data-lesson="${lesson}"`) ? lesson : data.lesson };
};

// Take it away when another page is opened, or the app has something else to say.
const watch = (first) => {
  const { pathname } = location;
  let since = null;
  const timer = setInterval(() => {
    if (document.querySelector(APP)) since ??= performance.now();
    const isLate = since !== null && performance.now() - since > AT_MOST;
    if (isLate || location.pathname !== pathname || document.querySelector(SAYS_ELSE)) first.remove();
    if (!first.isConnected) clearInterval(timer);
  }, EVERY);
};

// `load`: the loader of components. It draws `page`, the elements of one, with `data`.
export const draw = (load, { name, title, page, data, themes }) => {
  const first = document.createElement("div");
  Object.assign(first, { id: "first-picture", inert: true, innerHTML: "<div><h1></h1><div></div></div>" });
  first.dataset.component = name;
  for (const [key, value] of Object.entries(coloursOf(themes))) first.style.setProperty(key, value);
  first.querySelector("h1").textContent = title;
  document.title = `${title} · Bender Lab`;
  document.body.append(first);
  const parentElement = first.querySelector("h1 + div").attachShadow({ mode: "open" });
  parentElement.innerHTML = page;
  load({ parentElement, data: resumed(page, data), setTriggerValue: () => {} });
  watch(first);
};
