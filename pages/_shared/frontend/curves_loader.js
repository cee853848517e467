// Streamlit sends a component's code with every answer. So this is all of it that Streamlit knows; what draws the
// curves comes with the first data, and stays.

export default async function (component) {
  const root = component.parentElement.querySelector(".race");
  const { code } = component.data;
  if (code && !root.code) root.code = import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  if (root.code) (await root.code).receive(root, component.data);
  // What was mounted anew holds nothing, whatever the server remembers.
  if (Boolean(code) === Boolean(root.code)) component.setStateValue("held", Boolean(root.code));
}
