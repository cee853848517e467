// The only module that Streamlit loads, as it sends this with every answer. The others come as data, once per tab, in
// one script for each component.

globalThis.benderLab ??= {};
// By name: the main module and the style of every component received. Besides, what they share: colours, fields, terms.
const tab = globalThis.benderLab;

export default async function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector("[data-component]");
  const name = root.dataset.component;
  if (data.code) {
    const { style, script, ...shared } = data.code;
    Object.assign(tab, shared);
    const named = `${script}//# sourceURL=bender-lab/${name}.js\n`;
    tab[name] = { style, main: import(URL.createObjectURL(new Blob([named], { type: "text/javascript" }))) };
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
  takeFirstAway(name, parentElement);
}

// The first picture is not needed once the page itself is drawn: with what it draws when it sees where it is.
const takeFirstAway = (name, parentElement) => {
  const first = document.getElementById("first-picture");
  if (first?.dataset.component === name && !first.contains(parentElement.host))
    requestAnimationFrame(() => requestAnimationFrame(() => first.remove()));
};
