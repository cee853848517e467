// Streamlit sends a component's code and style with every answer. So this is all of them that Streamlit knows; the stage
// itself comes with the data of the first picture, and stays.

export default async function (component) {
  const root = component.parentElement.querySelector(".stage");
  const { code, run } = component.data;
  if (code && !root.code) {
    const style = document.createElement("style");
    style.textContent = code.style;
    root.before(style);
    root.code = import(URL.createObjectURL(new Blob([code.script], { type: "text/javascript" })));
  }
  if (root.code) (await root.code).receive(root, component);
  // What was mounted anew while an answer was on its way has to ask for the whole.
  else component.setTriggerValue("command", { do: "poll", at: 0, arc: 0, first: 0, held: false, ahead: 24, measure: "slack", run, serial: 0 });
}
