// The only module that Streamlit loads, as it sends this with every answer. The others come as data, once per tab;
// each becomes a local file, and they import each other as they would from a server.

globalThis.benderLab ??= {};
// By name: the main module and the style of every component received. Besides, what they share: colours, fields, terms.
const tab = globalThis.benderLab;

// The URLs of modules by path, each made at its first import.
const linked = (sources) => {
  const urls = {};
  const text = (path) => {
    const resolved = (to) => url(new URL(to, `file:///${path}`).pathname.slice(1));
    return `${sources[path].replace(/(?<=\bfrom ")\.[^"]+/g, resolved)}\n//# sourceURL=bender-lab/${path}`;
  };
  const url = (path) => {
    urls[path] ??= URL.createObjectURL(new Blob([text(path)], { type: "text/javascript" }));
    return urls[path];
  };
  return url;
};

export default async function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector("[data-component]");
  const name = root.dataset.component;
  if (data.code) {
    const { style, modules, main, ...shared } = data.code;
    Object.assign(tab, shared);
    tab[name] = { style, main: import(linked(modules)(main)) };
  }
  if (!tab[name]) return setTriggerValue("missing", true);
  if (!root.dataset.styled) {
    root.dataset.styled = true;
    const style = document.createElement("style");
    style.textContent = tab[name].style;
    root.before(style);
  }
  // Pages are written hidden: nothing is seen without its style.
  const { receive } = await tab[name].main;
  root.hidden = false;
  receive(root, data, setTriggerValue);
}
