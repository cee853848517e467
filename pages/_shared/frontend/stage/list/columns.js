// The columns of the list: the text of a line in each, and the value for sorting.

import { closeness } from "../../gap.js";
import { number } from "../../text.js";
import { readFor } from "../frames.js";

const METHODS = ["enumerate", "eliminate", "prune"];
const THOUSANDS = ["", " k", " M", " G", " T"];

// A count in few digits.
export const counted = (value) => {
  let [rest, k] = [value, 0];
  for (; rest >= 9999.5 && k < THOUSANDS.length - 1; k += 1) rest /= 1000;
  return number(rest, k ? 3 : 5) + THOUSANDS[k];
};

// With points below each other, as far as sizes allow.
const energy = (value, { moment, stage }) => {
  if (value <= closeness(moment.lower, moment.upper, stage.graph.scale)) return "0";
  if (value < 5e-4 || value >= 999.5) return number(value, 2);
  return value < 1 ? value.toFixed(3) : value.toPrecision(3);
};

// Values from Python, for the lines that it has examined.
const measured = (key) => ({ key, measured: true, value: (list, arc) => list.looks.of(arc, key), text: energy });

// `value`: null if it is not known; `text`: of a value that is. `rows`: only where there are rows; `exact`: only where
// there are none. `wide`: in rem, the name takes what is left. A `title` explains a column, or its `term`.
const ALL = [
  {
    ...{ key: "name", head: "message", wide: 0, ascends: true },
    title: "The group that sends the message, and the one that receives it",
    value: (list, arc) => list.names.rank[arc],
    text: (_value, list, arc) => list.names.of(arc),
  },
  {
    ...{ key: "tension", head: "tension", wide: 4.4, text: energy },
    term: "tension",
    value: ({ state }, arc) => state.tension.edges[arc >> 1],
  },
  {
    ...{ key: "past", head: "so far", wide: 3.2, still: true },
    title: "Tension at the ends of the sweeps seen in this tab, and now",
  },
  {
    ...{ key: "gained", head: "gained", wide: 3.2, rows: true, text: energy },
    title: "The rise of LB due to new rows of the message",
    value: ({ state }, arc) => state.gained.messages[arc],
  },
  {
    ...{ key: "work", head: "work", wide: 3.6, text: counted },
    title: "Table entries read for the message",
    value: ({ state }, arc) => readFor(state, arc),
  },
  {
    ...{ key: "rows", head: "rows", wide: 2.3, rows: true, text: String },
    title: "Rows made for the message",
    value: ({ state }, arc) => state.rows[arc],
  },
  {
    ...measured("alive"),
    ...{ head: "alive", wide: 3.1, rows: true },
    title: "Rows of the edge (they serve both messages) that attain the envelope at some state now",
    text: (value, list, arc) => `${value}/${list.looks.of(arc, "rows")}`,
  },
  {
    ...measured("mean"),
    ...{ head: "slack", wide: 2.8, rows: true },
    title: "Slack of the envelope, on average over the states of the receiver",
  },
  {
    ...measured("largest"),
    ...{ head: "largest", wide: 3.3, rows: true },
    title: "The largest slack of the envelope",
  },
  {
    ...measured("now"),
    ...{ head: "cheapest", wide: 4.2, rows: true },
    title: "Slack of the envelope at the cheapest state of the receiver",
  },
  {
    ...measured("disagreement"),
    ...{ head: "disagree", wide: 3.7 },
    title: "Part of the tension: the saving if the sender gave its best answer to the receiver's state",
  },
  {
    ...measured("unclaimed"),
    ...{ head: "unclaimed", wide: 4.6 },
    title: "Part of the tension: what the message could claim in addition",
  },
  {
    ...{ key: "method", head: "method", wide: 4.6, exact: true, ascends: true, text: (value) => METHODS[value] },
    title: "How the message is computed exactly",
    value: ({ stage }, arc) => stage.graph.methods[arc],
  },
];

export const columnsFor = ({ exact }) => ALL.filter((column) => (exact ? !column.rows : !column.exact));
