// The focus of the keyboard, when what had it is hidden or disabled: otherwise Tab would start again at the top of the
// page.

// What may go, and what follows it: the last of these that is there.
const HEIRS = [
  [".greeting *", "[data-step=round]"],
  [".race *, [data-act=pair]", "[data-act=pair], [data-act=alone]"],
  [".list *, .gap [data-act=list]", ".table, .gap [data-act=list]"],
  [".drawer *, .edge [data-act=drawer]", ".edge [data-act=drawer], .table, .drawer figcaption [data-act=drawer]"],
  ["[data-act=prove]", ".share summary"],
];

const isThere = (element) => element.checkVisibility() && !element.disabled;

export const keepFocus = ({ root }) => {
  root.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget || isThere(target)) return;
    const heirs = HEIRS.find(([gone]) => target.matches(gone))?.[1];
    if (heirs) [...root.querySelectorAll(heirs)].findLast(isThere)?.focus({ preventScroll: true });
  });
};
