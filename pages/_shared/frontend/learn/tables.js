// Lessons about tables A and B: A has the states, B answers.

import { number } from "../text.js";
import { Columns } from "../friends/columns.js";
import { Tables, bit, statesOf, written } from "../friends/exact.js";
import { Lesson } from "./lesson.js";
import { friendMarks } from "../friends/people.js";

const SIZE = 3; // friends at a table
const RADIUS = 17; // pixels, of a friend
const LOW = 260; // pixels in which three friends have room above each other
// The share of the way from A at which a discount is written, by the friend of B: tables beside each other, and above.
const LABELS = { beside: [0.24, 0.4, 0.56], above: [0.55, 0.68, 0.42] };

export class OfTables extends Lesson {
  begin(world) {
    this.tables = new Tables(world, [0, 1, 2], [3, 4, 5]);
    this.a = world.names.slice(0, SIZE);
    this.b = world.names.slice(SIZE, 2 * SIZE);
    this.states = statesOf(SIZE);
  }

  text(state) {
    return written(state, SIZE);
  }

  columns(box, range) {
    return new Columns(box, this.states, this.a, range);
  }

  // A row as a sum.
  formula(first, charges) {
    return `${number(first)} − ${charges.map((charge, k) => `${number(charge)}·${this.a[k]}`).join(" − ")}`;
  }

  formulaMark({ left, bottom }, first, charges) {
    const text = `row = ${this.formula(first, charges)}`;
    return { id: "formula", class: "formula", x: left + 4, y: bottom - 2, text };
  }

  // The friends of both tables, and the discounts between them: those granted in a state and its answer stand out.
  // `press(k)`: a friend of A is pressed; `answer` null: B has not been asked.
  friends(box, { state, answer, press }) {
    const [atA, atB] = this.seats(box);
    const [[x0, y0], [x1, y1]] = [atA[0], atB[0]];
    const isLying = y0 !== y1;
    const head = (x, y) => (isLying ? { x: box.left + 4, y: y + 5 } : { x, y: box.top + 8, "text-anchor": "middle" });
    const people = (who, names, at, shown) =>
      friendMarks(names, at, RADIUS, shown).map((mark) => ({ ...mark, id: `${who} ${mark.id}` }));
    return [
      { id: "head A", class: "head", ...head(x0, y0), text: "A" },
      { id: "head B", class: "head", ...head(x1, y1), text: isLying ? "B" : "B answers" },
      ...this.discountMarks(atA, atB, state, answer),
      ...people("A", this.a, atA, { state, press }),
      ...people("B", this.b, atB, { state: answer ?? 0, hidden: answer === null }),
    ];
  }

  // Where the friends of both tables are: beside each other, or above where the box is low.
  seats({ left, right, top, bottom }) {
    const places = this.states.slice(0, SIZE);
    const along = (from, to) => (k) => from + ((to - from) * k) / (SIZE - 1);
    if (bottom - top >= LOW) {
      const y = along(top + 34, bottom - 70);
      return [left + 34, right - 40].map((x) => places.map((k) => [x, y(k)]));
    }
    const x = along(left + 50, right - 34);
    return [top + RADIUS + 2, bottom - RADIUS - 38].map((y) => places.map((k) => [x(k), y]));
  }

  discountMarks(atA, atB, state, answer) {
    return this.tables.discounts.flatMap(({ k, l, value, weight }, d) => {
      const [[x1, y1], [x2, y2]] = [atA[k], atB[l]];
      const granted = answer !== null && bit(state, k) && bit(answer, l) === value;
      const share = LABELS[y1 === atA[1][1] ? "above" : "beside"][l];
      const at = { x: x1 + share * (x2 - x1), y: y1 + share * (y2 - y1) + 5, "text-anchor": "middle" };
      const condition = `if ${this.a[k]} goes and ${this.b[l]} ${value ? "goes" : "stays"}`;
      const kind = `discount${granted ? " granted" : ""}${value ? "" : " apart"}`;
      return [
        { id: `discount ${d}`, class: kind, x1, y1, x2, y2, tip: () => [`−${number(weight)} ${condition}`] },
        { id: `discount ${d} label`, class: `worth${granted ? " granted" : ""}`, ...at, text: `−${number(weight)}` },
      ];
    });
  }
}

// Exact values as dots.
export const dotMarks = (columns, values, kind = "nu") =>
  values.map((value, place) => ({
    ...{ id: `${kind} ${place}`, class: kind, cx: columns.x(place), cy: columns.y(value), r: 5 },
    means: { what: kind, state: place, value },
  }));

// A row: a stepped line over the states.
export const rowMark = (columns, values, id, kind) => {
  const half = columns.step / 2;
  const d = values
    .map((value, place) => {
      const [x, y] = [columns.x(place), columns.y(value).toFixed(1)];
      return `${place ? "L" : "M"}${(x - half).toFixed(1)} ${y}L${(x + half).toFixed(1)} ${y}`;
    })
    .join("");
  return { id, class: `row ${kind}`, d };
};
