// What draws figures and tables is large: once a tab has nothing else to do, it loads the scripts. A script is run
// once however often it is imported, so the first figure finds it ready.

const CALM = 1500; // milliseconds after the page was loaded

export const receive = (root, data) => {
  if (globalThis.benderLab.loading || navigator.connection?.saveData) return;
  globalThis.benderLab.loading = true;
  const ours = document.querySelector("script[type=module][src]").src;
  const load = () => data.scripts.forEach((name) => import(new URL(name, ours)));
  setTimeout(() => requestIdleCallback(load), CALM);
};
