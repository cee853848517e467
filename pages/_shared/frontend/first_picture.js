// Draws a page before the app is there, in its place. The loader takes it away when the page is drawn; so does time, if
// the app does not come, or another page is opened.

import { isAddressed } from "./fields.js";

const AT_MOST = 20000; // milliseconds that it stays
const EVERY = 100; // milliseconds between two looks at the address
const KEPT = "bender-lab:tour"; // where the browser remembers a lesson, which the app will open instead

// The colours that were chosen in the app, or those of the system.
const coloursOf = ({ light, dark }) => {
  const chosen = localStorage.getItem(`stActiveTheme-${location.pathname}-v2`) ?? "";
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return chosen.includes("Dark") || (isDark && !chosen.includes("Light")) ? dark : light;
};

const isRecalled = (name) => name === "learn" && !isAddressed("lesson") && localStorage.getItem(KEPT) !== null;

// `load`: the loader of components. It draws `page`, the elements of one, with `data`.
export const draw = (load, { name, title, page, data, themes }) => {
  if (isRecalled(name)) return;
  const first = document.createElement("div");
  Object.assign(first, { id: "first-picture", inert: true, innerHTML: "<div><h1></h1><div></div></div>" });
  first.dataset.component = name;
  for (const [key, value] of Object.entries(coloursOf(themes))) first.style.setProperty(key, value);
  first.querySelector("h1").textContent = title;
  document.body.append(first);
  const parentElement = first.querySelector("h1 + div").attachShadow({ mode: "open" });
  parentElement.innerHTML = page;
  load({ parentElement, data, setTriggerValue: () => {} });
  const [{ pathname }, begun] = [location, performance.now()];
  const timer = setInterval(() => {
    if (location.pathname !== pathname || performance.now() - begun > AT_MOST) first.remove();
    if (!first.isConnected) clearInterval(timer);
  }, EVERY);
};
