// A list that opens over the panes; whatever else is pressed closes it.

export class Menu {
  // `list`: a `details` element of the stage.
  constructor(stage, list) {
    this.list = list;
    list.onkeydown = (event) => {
      if (event.key === "Escape") this.close();
    };
    list.onfocusout = ({ relatedTarget }) => {
      if (relatedTarget && !list.contains(relatedTarget)) this.close();
    };
    stage.root.addEventListener("pointerdown", ({ target }) => {
      if (!list.contains(target)) this.close();
    });
  }

  close() {
    const { list } = this;
    const hasFocus = list.contains(list.getRootNode().activeElement);
    list.open = false;
    if (hasFocus) list.querySelector("summary").focus();
  }
}
