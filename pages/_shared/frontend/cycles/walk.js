// The cycle of the event, as far as it has been walked, and what is pointed at.

import { between, partOf } from "../marks/link.js";
import { clamp } from "../numbers.js";
import { isFound } from "./history.js";
import { WALKS } from "./player.js";

export class Walk {
  constructor(net) {
    this.net = net;
  }

  // Halos around the cycle that was found, as far as it has been walked, and around what is pointed at.
  marks(moment) {
    const pointed = this.pointed(moment.state).map((edge) => this.halo(edge, 1, "halo pointed", "pointed"));
    const { event } = moment;
    // Those of messages are drawn with their triplets.
    if (!event || !isFound(event) || event.triplets) return pointed;
    const walked = moment.part(...WALKS) * event.edges.length;
    const own = event.edges.map((edge, k) => this.halo(edge, clamp(walked - k, 0, 1), "halo", "halo", event.walk[k]));
    return [...own, this.jump(event, walked), this.runner(event, moment.t, walked), ...pointed];
  }

  halo(edge, share, look, id, from = null) {
    if (share <= 0) return null;
    const { ends } = this.net.graph;
    // Walked from its second end to its first.
    const [low, high] = from !== null && this.net.lines[edge] && from !== ends[2 * edge] ? [1 - share, 1] : [0, share];
    const d = this.net.path(edge, low, high);
    return { id: `${id} ${edge}`, class: look, d, "stroke-width": this.net.widths[edge] + 9 };
  }

  // Between the two fields of a cycle through the ghost nothing is drawn but this.
  jump({ walk }, walked) {
    const ghost = walk.indexOf(this.net.places.length);
    if (ghost < 0 || walked <= ghost) return null;
    const [a, b] = [walk.at(ghost - 1), walk[(ghost + 1) % walk.length]].map((v) => this.net.places[v]);
    return { id: "jump", class: "halo ghost", d: partOf([[a, b]], 0, 1), "stroke-width": 4 };
  }

  runner(event, t, walked) {
    if (t >= WALKS[1]) return null;
    const k = Math.min(Math.floor(walked), event.edges.length - 1);
    if (!this.net.lines[event.edges[k]]) return null;
    const a = event.walk[k];
    const [cx, cy] = this.along(event.edges[k], a, walked - k);
    return { id: "runner", class: "runner", cx, cy, r: this.net.radius + 2, means: { what: "runner" } };
  }

  // The place on an edge at a share of its length from one of its ends.
  along(edge, from, share) {
    const pieces = this.net.lines[edge];
    const own = this.net.graph.ends[2 * edge] === from ? pieces : pieces.toReversed();
    if (pieces.length === 2) return share < 0.5 ? between(...own[0], 2 * share) : between(...own[1], 2 - 2 * share);
    return own === pieces ? between(...pieces[0], share) : between(...pieces[0], 1 - share);
  }

  // The edges of what is pointed at: of a cycle, or of all cycles through some couplings.
  pointed({ cycles }) {
    const { grouping, owner } = this.net;
    if (!owner.pointed) return [];
    const { edges, through } = owner.pointed;
    const users = edges ? [] : cycles.filter((cycle) => through.some((edge) => cycle.edges.includes(edge)));
    const all = edges ?? [...through, ...users.flatMap((cycle) => cycle.edges)];
    return [...new Set(grouping ? all.map((edge) => grouping.edgeOf[edge]) : all)];
  }
}
