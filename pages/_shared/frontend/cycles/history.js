// The events that are held, and the state after any number of them (`Cycles` in pages/_shared/cycles/protocol.py).

// Whether an event found a cycle; else it ends a round.
export const isFound = (event) => event.walk !== undefined;

export class History {
  constructor({ start, by }, graph) {
    Object.assign(this, { start, graph, by, events: [], ending: null, failure: "", known: new Map() });
  }

  get length() {
    return this.events.length;
  }

  // The position after the last event; null if more events follow.
  get end() {
    return this.ending ? this.length : null;
  }

  // Whether the events held are all that will come.
  get isOver() {
    return this.ending !== null || this.failure !== "";
  }

  take({ first, events, ending, failure }) {
    if (first > this.length) return;
    this.events.push(...events.slice(this.length - first));
    Object.assign(this, { ending, failure });
  }

  // The work done for the first events.
  workOf(position) {
    return position ? this.events[position - 1].work : 0;
  }

  // Where a step ends; null if that is not known yet.
  following(position, grain) {
    if (position === this.end) return position;
    if (position === this.length) return null;
    if (grain === "cycle") return position + 1;
    const end = this.events.findIndex((event, k) => k >= position && !isFound(event));
    return end < 0 ? (this.isOver ? this.length : null) : end + 1;
  }

  // Where a step begins that leads to a position.
  before(position, grain) {
    if (grain === "cycle" || position === 0) return Math.max(position - 1, 0);
    return this.events.findLastIndex((event, k) => k < position - 1 && !isFound(event)) + 1;
  }

  // The state after the first events. `lent`: by every edge; `cycles`: those that take a share; `event`: the last one.
  // By messages, nothing is lent; `triplets` are all so far, each with its `place` among the events.
  at(position) {
    if (!this.known.has(position)) {
      if (this.known.size > 64) this.known.clear();
      this.known.set(position, this.computed(position));
    }
    return this.known.get(position);
  }

  computed(position) {
    const { events, start, graph } = this;
    const end = events.findLastIndex((event, k) => k < position && !isFound(event));
    const shares = (events[end]?.cycles ?? []).map((cycle, k) => [cycle, events[end].shares[k]]);
    for (let k = end + 1; k < position; k += 1) if (events[k].share > 0) shares.push([k, events[k].share]);
    const cycles = shares.map(([number, share]) => ({ number, share, ...this.cycle(number) }));
    const lent = new Float64Array(graph.cost.length);
    for (const { edges, share } of cycles) for (const edge of edges) lent[edge] += share;
    const best = this.best(position);
    const broken = new Uint8Array(graph.cost.length);
    for (const edge of best.broken) broken[edge] = 1;
    const event = position ? events[position - 1] : null;
    const { lower, upper } = event ?? start;
    const { gap } = events[end] ?? start;
    return { position, event, cycles, lent, broken, values: best.values, lower, upper, gap, ...this.pursued(position) };
  }

  // The triplets of all cycles so far.
  pursued(position) {
    const triplets = this.events
      .slice(0, position)
      .flatMap(({ triplets: of = [] }, place) => inThrees(of).map((vertices) => ({ vertices, place })));
    return { triplets };
  }

  cycle(number) {
    const { walk, edges } = this.events[number];
    return { walk, edges };
  }

  // The best labelling known after so many events.
  best(position) {
    const k = this.events.findLastIndex((event, j) => j < position && event.better);
    return k < 0 ? this.start.best : this.events[k].better;
  }

  sentence(position) {
    const own = position ? this.events[position - 1].sentence : this.start.sentence;
    return position === this.end ? `${own} ${this.ending.sentence}` : own;
  }

  // The names of variables, with the ghost for fields.
  names(vertices) {
    return vertices.map((v) => this.graph.names[v] ?? "fields").join(" – ");
  }

  // The name of an edge; one to the ghost is the field of a variable.
  name(edge) {
    const { ends, names } = this.graph;
    const [i, j] = [ends[2 * edge], ends[2 * edge + 1]];
    return j === names.length ? `field of ${names[i]}` : `${names[i]} – ${names[j]}`;
  }
}

const inThrees = (of) => Array.from({ length: of.length / 3 }, (_, k) => of.slice(3 * k, 3 * k + 3));

// How often a labelling breaks the edges of a cycle.
export const paid = ({ edges }, broken) => edges.reduce((sum, edge) => sum + broken[edge], 0);

// The same in words.
export const pays = (cycle, broken) => {
  const times = paid(cycle, broken);
  return times === 1 ? "pays once" : `pays ${times} times`;
};

// The parts of the gap, largest first: cycles that pay more than once, and broken edges that have not lent all of their
// cost. By messages: what variables, edges and triplets pay beyond their minima. They sum to UB − LB. Source:
// docs/cycles.md §2 and §8.
export const partsOf = ({ cycles, lent, broken, gap }, { cost }) => {
  if (gap) return gap.largest;
  const twice = cycles.map((cycle) => ({ cycle, value: cycle.share * (paid(cycle, broken) - 1) }));
  const rests = Array.from(cost, (of, edge) => ({ edge, value: broken[edge] ? of - lent[edge] : lent[edge] - of }));
  const least = 1e-12 * cost.reduce((sum, of) => sum + of, 0);
  return [...twice, ...rests].filter(({ value }) => value > least).sort((a, b) => b.value - a.value);
};
