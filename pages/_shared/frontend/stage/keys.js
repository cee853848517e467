// The list of all keys, which "?" opens. Of each its signs between accents, and what it does; of some, that a frame in
// another page does not have them.

import { html } from "../html.js";

const WHOLE = true;
const KEYS = [
  ["`space`", "play, pause"],
  ["`→` `←`", "a <dfn>round</dfn> on, back"],
  ["`shift` + `→` `←`", "a <dfn data-term='hyper-variable'>group</dfn>"],
  ["`alt` + `→` `←`", "a <dfn>sweep</dfn>"],
  ["`.` `,`", "an <dfn>event</dfn>"],
  ["`r` `m`", "to the next large rise of LB, to the largest so far", WHOLE],
  ["`e` `t`", "to the next row on the edge shown, to where the message becomes tight", WHOLE],
  ["`u`", "to the next better labelling", WHOLE],
  ["`X`", "back to the run before, and from there to this one again", WHOLE],
  ["`C`", "another run beside this one, and this one alone again", WHOLE],
  ["`+` `−` `0`", "zoom in, zoom out, show all"],
  ["`tab`, `enter`", "go to a <dfn data-term='hyper-edge'>line</dfn> or a circle; pin its <dfn>message</dfn>"],
  ["`→` `←` `↑` `↓`", "move the circle that tab has gone to"],
  ["`V`", "the next view of the model: groups, both, variables, the answer"],
  ["`L`", "open or close the list of messages"],
  ["`J` `K`, `enter`", "in the list: next, previous line; look closer; again: page Edge"],
  ["`D`", "open or close the message shown, state by state"],
  ["`S` `O` `/`", "in the list: sort by the next column, reverse, filter"],
  ["`P`", "lecture mode: the pictures alone, in large type; again, or escape: back", WHOLE],
  ["`1` to `4`", "in lecture mode: the graph; the message too; the costs and bounds too; the words too", WHOLE],
  ["`page ↓` `page ↑`", "in lecture mode: a round on, back; of a talk, a moment", WHOLE],
  ["`B`, `N`", "in lecture mode: a black screen; the notes of a talk, in a window of their own", WHOLE],
  ["`W`", "explain the first term in sight; <kbd>→</kbd> <kbd>←</kbd>: another one; escape: close"],
  ["`?`", "these keys"],
];

// Every other part of a text between accents is a key.
const signs = (text) => text.split("`").map((part, k) => (k % 2 ? html("kbd", {}, part) : part));

// The first of them are in sight, whatever has the focus.
export const openKeys = (dialog) => {
  dialog.showModal();
  dialog.scrollTop = 0;
};

export const listKeys = (table) => {
  const rows = KEYS.map(([keys, meaning, isWhole]) => {
    const row = html("tr", {}, html("td", {}, ...signs(keys)), html("td"));
    row.lastChild.innerHTML = meaning;
    row.toggleAttribute("data-whole", Boolean(isWhole));
    return row;
  });
  table.replaceChildren(...rows);
};
