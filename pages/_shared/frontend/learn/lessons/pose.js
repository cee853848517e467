// A pose: candidates of body parts, and the body that won.

import { number } from "../../text.js";
import { NARROW } from "../../friends/columns.js";
import { Lesson } from "../lesson.js";
import { placed } from "../../friends/people.js";

const LETTER = 8.5; // pixels

// The bones of a body, by the names of its parts.
const BONES = [
  ["head", "neck"],
  ...["left", "right"].flatMap((side) => [
    ["neck", `${side} shoulder`],
    [`${side} shoulder`, `${side} elbow`],
    [`${side} elbow`, `${side} wrist`],
    ["neck", `${side} hip`],
    [`${side} hip`, `${side} knee`],
    [`${side} knee`, `${side} ankle`],
  ]),
];

export class Pose extends Lesson {
  begin({ pose }) {
    this.pose = pose;
    this.count = pose.labeling.reduce((sum, value) => sum + value, 0);
    const options = [...new Set([pose.parts.length, this.count, 2 * pose.parts.length, pose.labeling.length])];
    options.sort((a, b) => a - b);
    this.guesses = {
      two: {
        options: () => options.map(String),
        judge: (k) => ({ right: options[k] === this.count, why: this.reason() }),
      },
    };
  }

  reason() {
    const seen = this.pose.parts.filter((_, part) => this.chosen(part).length).length;
    const many = `${this.count} places, of ${seen} parts`;
    return `${many}: several of one part may be near the same spot, and count together.`;
  }

  // The candidates of a part that won.
  chosen(part) {
    return this.pose.group.flatMap((of, k) => (of === part && this.pose.labeling[k] ? [k] : []));
  }

  facts() {
    return { sweeps: String(this.pose.sweeps), energy: number(this.pose.energy) };
  }

  says() {
    const places = `${this.pose.labeling.length} candidate places of ${this.pose.parts.length} body parts`;
    return this.isGuessed("two") ? `${places}; ${this.count} belong to the body that fits best.` : `${places}.`;
  }

  marks({ width, height }) {
    const { pose } = this;
    const at = placed(pose.places, { left: 0, right: width, top: 0, bottom: height - 24 }, 16);
    const won = this.isGuessed("two");
    const share = won ? (this.step === "candidates" ? this.moved : 1) : 0;
    return [
      ...(won ? this.bones(at, share) : []),
      ...pose.labeling.map((value, k) => ({
        ...{ id: `place ${k}`, class: `place${won && value ? " won" : ""}`, cx: at[k][0], cy: at[k][1] },
        r: won && value ? 8 : 5,
        opacity: won && !value ? 1 - 0.6 * share : null,
        tip: () => [
          `${pose.parts[pose.group[k]]}, a candidate`,
          value && won ? "part of the body: 1" : won ? "not: 0" : "?",
        ],
        means: { what: "place", variable: k, value: won ? value : null },
      })),
      ...(won ? this.names(at, width) : []),
    ];
  }

  // In the middle of the candidates that won.
  centre(at, part) {
    const chosen = this.chosen(part);
    if (!chosen.length) return null;
    return [0, 1].map((side) => chosen.reduce((sum, k) => sum + at[k][side], 0) / chosen.length);
  }

  bones(at, share) {
    return BONES.flatMap((names) => {
      const [from, to] = names.map((name) => this.centre(at, this.pose.parts.indexOf(name)));
      if (!from || !to) return [];
      const end = [0, 1].map((side) => from[side] + share * (to[side] - from[side]));
      return [{ id: `bone ${names.join(" ")}`, class: "bone", x1: from[0], y1: from[1], x2: end[0], y2: end[1] }];
    });
  }

  // Of the ends of the body; on a phone they would lie on each other.
  names(at, width) {
    const named = width < NARROW ? /head/ : /head|wrist|ankle/;
    return this.pose.parts.flatMap((name, part) => {
      const centre = this.centre(at, part);
      if (!centre || !named.test(name)) return [];
      const [x, y] = centre;
      const isLeft = x + LETTER * name.length > width;
      const side = isLeft ? { x: x - 12, "text-anchor": "end" } : { x: x + 12, "text-anchor": "start" };
      return [{ id: `name ${name}`, class: "soft", ...side, y: y + 5, text: name }];
    });
  }
}
