// By messages: triplets as shaded triangles, the later ones brighter, and the cycle that is cut into them. A cycle may
// follow chords, which are no couplings, so it is drawn from variable to variable.

import { between, written } from "../marks/link.js";
import { clamp } from "../numbers.js";
import { Around } from "./around.js";
import { isFound } from "./history.js";
import { TAKES, WALKS } from "./player.js";

const HALO = 9; // pixels

// Below couplings: all triplets so far, those of the present event as far as they have been cut.
export const triplets = (net, moment) => {
  const { history } = net.owner;
  if (history.by !== "messages") return [];
  const { before, after, event } = moment;
  const isMoving = moment.t < 1;
  const isOwn = ({ place }) => place >= (isMoving ? before.position : after.position - 1);
  const isOld = ({ place }) => history.events[place].round < event.round;
  const around = aroundOf(net);
  const known = after.triplets.filter((triplet) => !isOwn(triplet));
  return [
    shade(around, "old", known.filter(isOld)),
    shade(
      around,
      "late",
      known.filter((triplet) => !isOld(triplet)),
    ),
    shade(around, "last", after.triplets.filter(isOwn), moment.part(...TAKES)),
  ];
};

// Above them: the cycle of the event, and what is pointed at.
export const lit = (net, moment) =>
  net.owner.history.by === "messages" ? [...halos(net, moment), pointed(net), walker(net, moment)] : [];

// Where places are: the same until they change.
const aroundOf = (net) => {
  if (net.around?.places !== net.places) net.around = new Around(net);
  return net.around;
};

const shade = (around, age, all, share = 1) => {
  if (!all.length || share <= 0) return null;
  return {
    ...{ id: `triplets ${age}`, class: `triplet ${age}`, d: all.map((each) => around.triangle(each)).join("") },
    ...{ opacity: share, means: { what: "triplets", age, all: all.map(({ vertices }) => vertices) } },
  };
};

// The cycle of the event, as far as it has been walked round.
const halos = (net, moment) => {
  const { event } = moment;
  if (!event || !isFound(event)) return [];
  const walked = moment.part(...WALKS) * event.walk.length;
  return event.walk.map((v, k) => {
    const share = clamp(walked - k, 0, 1);
    if (share <= 0) return null;
    const d = aroundOf(net)
      .pieces(v, event.walk[(k + 1) % event.walk.length])
      .map(([from, to], half, { length }) => [from, between(from, to, clamp(length * share - half, 0, 1))])
      .map((ends) => `M${ends.map(written).join("L")}`)
      .join("");
    const look = event.edges[k] === null ? "halo chord" : "halo";
    return { id: `around ${k}`, class: look, d, "stroke-width": net.widest + HALO };
  });
};

// The dot that walks around the cycle.
const walker = (net, moment) => {
  const { event, t } = moment;
  if (!event || !isFound(event) || t >= WALKS[1]) return null;
  const { walk } = event;
  const walked = moment.part(...WALKS) * walk.length;
  const k = Math.min(Math.floor(walked), walk.length - 1);
  const pieces = aroundOf(net).pieces(walk[k], walk[(k + 1) % walk.length]);
  const along = (walked - k) * pieces.length;
  const half = Math.min(Math.floor(along), pieces.length - 1);
  const [cx, cy] = between(...pieces[half], along - half);
  return { id: "runner", class: "runner", cx, cy, r: net.radius + 2 };
};

// What is pointed at: a variable, an edge, a triplet, or a cycle.
const pointed = (net) => {
  const vertices = net.owner.pointed?.vertices;
  if (!vertices) return null;
  const around = aroundOf(net);
  const sides = vertices.flatMap((v, k) =>
    vertices.length > 1 ? around.pieces(v, vertices[(k + 1) % vertices.length]) : [],
  );
  const dot = net.places[vertices[0]];
  const d = sides.map((ends) => `M${ends.map(written).join("L")}`).join("") || `M${written(dot)}h0.1`;
  return { id: "pointed", class: "halo pointed", d, "stroke-width": net.widest + HALO };
};
