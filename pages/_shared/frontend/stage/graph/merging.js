// Groups that a fork has merged: for a moment their circles are seen to flow together.

import { calm } from "../play/player.js";

const MS = 1200;

const eased = (t) => t * t * (3 - 2 * t);

export class Merging {
  // `pane` has the `places` of its circles, their `radius`, and its `camera`.
  constructor(pane) {
    Object.assign(this, { pane, flows: [], since: null, awaited: false });
  }

  // Another run has come. `came` says whose groups its own are unions of; `before`: the run that was shown, and where
  // its circles were.
  begin(came, before) {
    this.flows = [];
    if (!came || came.run !== before.run || calm.matches) return;
    const { owner } = came;
    const flows = owner.map((p, q) => ({ p, from: before.whole[q] }));
    const count = Map.groupBy(flows, ({ p }) => p);
    this.flows = flows.filter(({ p, from }) => from && (p < 0 || count.get(p).length > 1));
    this.since = null;
  }

  // A circle for each group that was merged, on its way to the union.
  marks() {
    if (!this.flows.length) return [];
    const { places, camera, radius, stage } = this.pane;
    this.since ??= performance.now();
    const t = eased(Math.min((performance.now() - this.since) / MS, 1));
    if (t === 1) this.flows = [];
    else if (!this.awaited) {
      this.awaited = true;
      requestAnimationFrame(() => {
        this.awaited = false;
        stage.draw();
      });
    }
    return this.flows.map(({ p, from }, k) => {
      // Of a group that is decided nothing is left: it stays where it was, and goes.
      if (p < 0) {
        const [cx, cy] = camera.see(from);
        const means = { what: "decided group", group: k };
        return { id: `decided-${k}`, shape: "circle", class: "decided", cx, cy, r: radius * (1 - t), means };
      }
      const [cx, cy] = camera.see(from.map((value, axis) => value + t * (places.whole[p][axis] - value)));
      const means = { what: "merging", group: p };
      return { id: `merging-${k}`, shape: "circle", class: "merging", cx, cy, r: radius, means };
    });
  }
}
