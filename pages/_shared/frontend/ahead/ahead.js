// The scripts for figures and tables are large: an idle tab loads them ahead. A script runs once, however often it is
// imported, so the first figure finds it ready.

// Milliseconds after the page was loaded, and after the last press: to run the scripts takes half a second.
const CALM = 1500;
const PRESSES = ["click", "keydown", "wheel"];

export const receive = (root, data) => {
  if (globalThis.benderLab.loading || navigator.connection?.saveData) return;
  globalThis.benderLab.loading = true;
  const ours = document.querySelector("script[type=module][src]").src;
  const listening = new AbortController();
  const load = () => {
    listening.abort();
    data.scripts.forEach((name) => import(new URL(name, ours)));
  };
  let waiting;
  const wait = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => requestIdleCallback(load), CALM);
  };
  for (const name of PRESSES) {
    addEventListener(name, wait, { capture: true, passive: true, signal: listening.signal });
  }
  wait();
};
