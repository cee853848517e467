// The names of all messages of a run, and their order.

export class Names {
  constructor({ nodes, edges }) {
    Object.assign(this, { nodes, edges });
  }

  // Sender and receiver.
  ends(arc) {
    const ends = this.edges[arc >> 1];
    return [ends[1 - (arc & 1)], ends[arc & 1]].map((p) => this.nodes[p].label);
  }

  of(arc) {
    return this.ends(arc).join(" → ");
  }

  // The place of every message among all by name; numbers count as such.
  get rank() {
    if (!this.ranked) {
      const { compare } = new Intl.Collator(undefined, { numeric: true });
      const names = Array.from({ length: 2 * this.edges.length }, (_, arc) => this.of(arc));
      this.ranked = new Int32Array(names.length);
      const order = names.map((_, arc) => arc).sort((a, b) => compare(names[a], names[b]) || a - b);
      order.forEach((arc, k) => {
        this.ranked[arc] = k;
      });
    }
    return this.ranked;
  }

  // Whether a group at either end has a name with a text in it.
  match(arc, text) {
    return this.ends(arc).some((name) => name.toLowerCase().includes(text));
  }
}
