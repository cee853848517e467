// The line under the pointer, where there are too many lines for elements that listen; and the target of a finger.

import { answering } from "./lines.js";

const REACH = 6.5; // pixels from a line
const FINGER = 22; // the same for a finger, from a line or the middle of a circle
const STILL = 4; // pixels by which the pointer may move within a click

const squared = (x, y) => x * x + y * y;

// The square of the distance of a place from a line.
const away = ([x, y], [x0, y0, x1, y1]) => {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const along = ((x - x0) * dx + (y - y0) * dy) / (squared(dx, dy) || 1);
  const u = Math.min(Math.max(along, 0), 1);
  return squared(x - x0 - u * dx, y - y0 - u * dy);
};

export class Pointing {
  // `pane` has its `svg`, its `camera`, its `runs`, and `many`.
  constructor(pane) {
    Object.assign(this, { pane, over: -1, aimed: -1, down: [0, 0] });
    const { svg } = pane;
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerleave", () => this.enter(-1));
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("click", (event) => this.click(event));
  }

  // The line there; -1 if none is, or something else lies above.
  at(event) {
    const { svg, camera, runs, many } = this.pane;
    const touched = event.pointerType === "touch";
    if (!(many || touched) || !runs || event.target !== svg) return -1;
    const place = camera.place(event);
    let [found, least] = [-1, (touched ? FINGER : REACH) ** 2];
    runs.forEach(({ ends }, e) => {
      const distance = away(place, ends);
      if (distance < least) [found, least] = [e, distance];
    });
    return found;
  }

  move(event) {
    this.enter(event.buttons ? -1 : this.at(event));
    const { stage } = this.pane;
    if (this.over >= 0) stage.tip.show(event.clientX, event.clientY, answering(stage, this.over).tip());
  }

  enter(edge) {
    const { pane, over } = this;
    if (edge === over) return;
    this.over = edge;
    pane.svg.classList.toggle("pointing", edge >= 0);
    if (over >= 0) {
      answering(pane.stage, over).hover(false);
      pane.stage.tip.hide();
    }
    if (edge >= 0) answering(pane.stage, edge).hover(true);
  }

  // The circle meant by a finger that has hit none; -1 if none is near.
  meant(event) {
    const { svg, camera, at } = this.pane;
    if (event.pointerType !== "touch" || event.target !== svg) return -1;
    const [x, y] = camera.place(event);
    const distances = at.map(([u, v]) => Math.hypot(x - u, y - v));
    const nearest = distances.indexOf(Math.min(...distances));
    return distances[nearest] <= FINGER ? nearest : -1;
  }

  // What is aimed at is decided here: browsers round the place of a click, so that another line may be nearest.
  press(event) {
    Object.assign(this, { down: [event.clientX, event.clientY], aimed: this.at(event) });
  }

  click(event) {
    if (Math.hypot(event.clientX - this.down[0], event.clientY - this.down[1]) > STILL) return;
    const group = this.meant(event);
    if (group >= 0) this.pane.pressed(group);
    else if (this.aimed >= 0) answering(this.pane.stage, this.aimed).press();
  }
}
