// The view of groups: all couplings between two groups are one bar, and those within a group, with its fields, are the
// ring of its circle. So cycles within a group are a part of the circle, and only those between groups are drawn.

import { isCrossing } from "../marks/link.js";
import { number } from "../text.js";
import { isFound } from "./history.js";

const FINE = 1000; // units of a side of the picture, in which crossings are looked for

const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

export class Grouping {
  // `of`: the group of every variable; `groups`: their names.
  constructor(graph, { of, names: groups }) {
    Object.assign(this, { whole: graph, of, groups, known: new WeakMap() });
    this.ghost = groups.length;
    this.variables = groups.map(() => []);
    of.forEach((group, i) => this.variables[group].push(i));
    this.join(graph);
    this.goesAround = this.crossings(graph);
    const places = graph.x.length ? this.places(graph) : { x: [], y: [] };
    this.graph = { ...places, names: groups, ends: this.ends, cost: this.summed(graph.cost) };
  }

  // Number the bars and rings. `edgeOf`: that of every coupling; `members`: the couplings of each; `rings`: of groups.
  join({ ends, cost, names }) {
    const numbers = new Map();
    Object.assign(this, { ends: [], members: [], rings: [] });
    this.edgeOf = cost.map((_, edge) => {
      const [i, j] = [ends[2 * edge], ends[2 * edge + 1]];
      const [a, b] = [this.of[i], j === names.length ? this.of[i] : this.of[j]];
      const pair = a === b ? [a, this.ghost] : [Math.min(a, b), Math.max(a, b)];
      const key = pair.join();
      if (!numbers.has(key)) {
        numbers.set(key, numbers.size);
        this.ends.push(...pair);
        this.members.push([]);
        if (a === b) this.rings[a] = numbers.get(key);
      }
      this.members[numbers.get(key)].push(edge);
      return numbers.get(key);
    });
  }

  // Groups are in the middle of their variables, spread as far as these are.
  places({ x, y }) {
    const mean = (along) => this.variables.map((own) => own.reduce((sum, i) => sum + along[i], 0) / own.length);
    const [across, down] = [mean(x), mean(y)];
    const [left, right, top, bottom] = [across, down].flatMap((some) => [Math.min(...some), Math.max(...some)]);
    const wide = Math.max(right - left, bottom - top) || 1;
    const spread = (low, high) => (value) => 0.5 + (value - (low + high) / 2) / wide;
    return { x: across.map(spread(left, right)), y: down.map(spread(top, bottom)) };
  }

  // Whether all couplings between two groups go around the picture, as on a torus.
  crossings({ x, y, ends }) {
    const places = x.map((across, i) => [FINE * across, FINE * y[i]]);
    const goes = (edge) => isCrossing(places, ends[2 * edge], ends[2 * edge + 1]);
    return this.members.map((own, k) => places.length > 0 && !this.isRing(k) && own.every(goes));
  }

  isRing(edge) {
    return this.ends[2 * edge + 1] === this.ghost;
  }

  summed(values) {
    const sums = this.members.map(() => 0);
    this.edgeOf.forEach((edge, k) => (sums[edge] += values[k]));
    return sums;
  }

  // -- what is drawn ----------------------------------------------------------------------------------------

  moment(of) {
    const [before, after] = [this.state(of.before), this.state(of.after)];
    const event = of.event && isFound(of.event) ? this.event(of.event) : of.event;
    const state = of.passed ? after : before;
    return { before, after, state, event, t: of.t, part: (from, to) => of.part(from, to) };
  }

  // Of a bar, `broken` is the part of its cost that is broken.
  state(of) {
    if (!this.known.has(of)) {
      const broken = this.summed(this.whole.cost.map((cost, edge) => cost * of.broken[edge]));
      for (const [edge, cost] of this.graph.cost.entries()) broken[edge] /= cost;
      this.known.set(of, { ...of, broken, lent: this.summed(of.lent) });
    }
    return this.known.get(of);
  }

  // A cycle from group to group, without the couplings within, unless it stays in one.
  event(of) {
    if (!this.known.has(of)) {
      const { ghost, edgeOf } = this;
      const all = of.edges.map((edge, k) => {
        const isGhost = of.walk[k] === this.of.length;
        // Between two fields of a group there is nothing to be seen.
        const leaves = isGhost && edgeOf[of.edges.at(k - 1)] !== edgeOf[edge];
        return {
          edge: edgeOf[edge],
          from: leaves ? ghost : isGhost ? this.ends[2 * edgeOf[edge]] : this.of[of.walk[k]],
        };
      });
      const once = all.filter(({ edge }, k) => all.findIndex((other) => other.edge === edge) === k);
      const group = this.groupOf(of.edges);
      const walk = group === null ? once.map((step) => step.from) : [group];
      this.known.set(of, { ...of, edges: once.map(({ edge }) => edge), walk });
    }
    return this.known.get(of);
  }

  // -- what lies within a group -------------------------------------------------------------------------------

  // The group that has all of these couplings and fields; null if none has.
  groupOf(edges) {
    const edge = this.edgeOf[edges[0]];
    const isWithin = this.isRing(edge) && edges.every((other) => this.edgeOf[other] === edge);
    return isWithin ? this.ends[2 * edge] : null;
  }

  // The couplings and fields of a group.
  within(group) {
    return this.members[this.rings[group]] ?? [];
  }

  // The parts of the gap, those within a group as one part, largest first.
  parts(parts) {
    const within = new Map();
    const between = parts.filter(({ cycle, edge, value }) => {
      const group = this.groupOf(cycle ? cycle.edges : [edge]);
      if (group !== null) within.set(group, (within.get(group) ?? 0) + value);
      return group === null;
    });
    const own = Array.from(within, ([group, value]) => ({ group, value }));
    return [...between, ...own].sort((a, b) => b.value - a.value);
  }

  // How many cycles lie within a group, and what they take.
  swallowed(cycles) {
    const within = cycles.filter(({ edges }) => this.groupOf(edges) !== null);
    const total = (some) => some.reduce((sum, { share }) => sum + share, 0);
    const largest = Math.max(...this.variables.map(({ length }) => length));
    const groups = `${counted(this.groups.length, "group")} of up to ${largest}`;
    if (!cycles.length) return groups;
    const share = Math.round((100 * total(within)) / total(cycles)) || 0;
    const [most, all] = [within.length.toLocaleString("en"), counted(cycles.length, "cycle")];
    return `${groups}: ${most} of ${all} within one, with ${share}\u202f% of all shares`;
  }

  // -- words ------------------------------------------------------------------------------------------------

  tipOf(edge, { lent, cycles, broken }) {
    const { cost } = this.whole;
    const own = this.members[edge];
    const sum = (values) => own.reduce((total, one) => total + values[one], 0);
    const members = new Set(own);
    const users = cycles.filter(({ edges }) => edges.some((one) => members.has(one)));
    const [a, b] = [this.ends[2 * edge], this.ends[2 * edge + 1]];
    const name = this.isRing(edge) ? `within ${this.groups[a]}` : `${this.groups[a]} – ${this.groups[b]}`;
    const many = this.isRing(edge) ? `${own.length} couplings and fields` : counted(own.length, "coupling");
    return [
      name,
      `${many}, ${number(sum(cost))} in all`,
      `lent ${number(sum(lent))} to ${counted(users.length, "cycle")}`,
      `${sum(broken)} broken by the best labelling`,
    ];
  }

  tipOfGroup(group) {
    return [this.groups[group], counted(this.variables[group].length, "variable")];
  }
}
