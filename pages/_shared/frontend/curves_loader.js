// Streamlit sends a component's code and style with every answer. So this is all of them that Streamlit knows; what
// draws the curves comes with the first data, and stays.

export default async function (component) {
  const root = component.parentElement.querySelector(".race");
  const { code } = component.data;
  if (code && !root.code) {
    const style = document.createElement("style");
    style.textContent = code.style;
    root.before(style);
    root.code = import(URL.createObjectURL(new Blob([code.script], { type: "text/javascript" })));
  }
  if (root.code) (await root.code).receive(root, component.data);
  // What was mounted anew holds nothing, whatever the server remembers.
  if (Boolean(code) === Boolean(root.code)) component.setStateValue("held", Boolean(root.code));
}
