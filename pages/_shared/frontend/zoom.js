// Zoom along the horizontal axis of a chart: the wheel around the pointer, two fingers around their middle, + and −
// around a position; a double-click or 0 shows everything.

import { clamp } from "./numbers.js";
import { pinched } from "./pressing.js";
import { placeIn } from "./screen.js";

const FACTORS = { "+": 0.8, "=": 0.8, "-": 1.25, 0: Infinity }; // = is the key of + without shift
const CLOSEST = 1e-4; // share of the whole that is shown at least

export class Zoom {
  // `chart` has its `svg`; its `frame` as drawn last (`box` in pixels and `range` in units of the axis; null where
  // nothing is drawn); `extent()`, the whole range; and `draw()`.
  constructor(chart) {
    this.chart = chart;
    this.range = null;
    chart.svg.onwheel = (event) => this.wheel(event);
    chart.svg.ondblclick = () => this.show(null);
    pinched(chart.svg, (factor, middle) => this.around(middle, 1 / factor));
  }

  // The visible range: the chosen one, or all.
  shown() {
    return this.range ?? this.chart.extent();
  }

  show(range) {
    this.range = range;
    this.chart.draw();
  }

  wheel(event) {
    if (!this.chart.frame) return;
    event.preventDefault();
    this.around(event, event.deltaY > 0 ? 1.25 : 0.8);
  }

  // By a factor of the range, around the place of a pointer.
  around(pointer, factor) {
    const { svg, frame } = this.chart;
    if (!frame) return;
    const { box, range } = frame;
    const share = (placeIn(svg, pointer)[0] - box.left) / Math.max(box.right - box.left, 1);
    this.by(factor, range[0] + (range[1] - range[0]) * clamp(share, 0, 1));
  }

  // Zoom if the key is one of these, around a position or the nearer end of the range; returns whether it is.
  press(event, at) {
    const factor = event.ctrlKey || event.metaKey ? undefined : FACTORS[event.key];
    if (!factor || !this.chart.frame) return false;
    event.preventDefault();
    this.by(factor, clamp(at, ...this.chart.frame.range));
    return true;
  }

  by(factor, at) {
    const [low, high] = this.chart.frame.range;
    const [first, last] = this.chart.extent();
    if (factor === Infinity) return this.show(null);
    const [from, to] = [Math.max(first, at - (at - low) * factor), Math.min(last, at + (high - at) * factor)];
    if (to - from >= last - first) this.show(null);
    else if (to - from > (last - first) * CLOSEST) this.show([from, to]);
  }
}
