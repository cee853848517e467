// Rows of a pane: a name, a bar, a number.

import { isTouched } from "../screen.js";

export const TALL = isTouched ? 32 : 22; // pixels of a row

// A row that is pointed at, by mouse or keyboard.
export const hit = (id, name, more) => ({
  ...{ id: `hit ${id}`, class: "part", x: 0, role: "img", tabindex: "0", "aria-label": name },
  ...more,
});

export const named = (id, text, x, y) => ({ id: `name ${id}`, class: "soft", x, y, text });

export const others = (count, row, text) =>
  count ? [{ id: "others", class: "soft", x: 0, y: TALL * (row + 1) - 5, text: `… ${count} ${text}` }] : [];
