// The point marked and described by the tip: the nearest to the pointer, or the one reached with the keyboard.

import { gapText, isClosed } from "../gap.js";
import { Picture } from "../marks/picture.js";
import { placeIn, unit } from "../screen.js";
import { entries, number } from "../text.js";
import { Tip } from "../tip.js";
import { heightOf, nearest } from "./lines.js";

const MARGIN = 8; // pixels from the tip to the edges of the figure
const ASIDE = 0.2; // weight of a horizontal pixel of distance against a vertical one
const WAYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Pointer {
  constructor(chart) {
    const { svg } = chart;
    this.chart = chart;
    this.picture = new Picture(chart.$(".pointed"), "pointer");
    this.tip = new Tip(chart.$(".tip"), chart.$("figure"), MARGIN);
    this.over = null; // the last event of the pointer over the chart
    this.onto = null; // the run to whose mark that belongs
    this.come = null; // the run reached with the keyboard, and its record; {} is the end of the first run
    svg.onpointermove = (event) => this.move(event);
    svg.onpointerleave = () => this.move(null);
    svg.onkeydown = (event) => this.press(event);
    svg.onfocus = () => svg.matches(":focus-visible") && this.go({});
    svg.onblur = () => this.go(null);
  }

  move(event) {
    this.over = event;
    this.onto = event?.target.dataset.run ?? null;
    if (!event) this.chart.stress(null);
    this.look();
  }

  go(come) {
    this.come = come;
    if (!come) this.chart.stress(null);
    this.chart.draw();
  }

  // Also when the chart has been redrawn.
  look() {
    this.tip.hide();
    this.picture.draw([]);
    if (!this.chart.frame) return;
    if (this.over) return this.hover(this.over);
    if (!this.come) return;
    const { frame, lines, svg } = this.chart;
    const { left, top } = svg.getBoundingClientRect();
    const [row, k] = this.foothold();
    const { run, points } = lines[row];
    const [x, y] = [frame.x(points[k].x), frame.y(heightOf(points[k]))].map((at) => at * unit());
    this.describe(run, points[k], left + x, top + y);
  }

  // The line and the point reached with the keyboard; at first the end of the first line.
  foothold() {
    const { run: key, k: last = Infinity } = this.come || {};
    const { lines } = this.chart;
    const row = lines.findIndex(({ run }) => run.key === key);
    const points = lines[Math.max(row, 0)].points;
    const at = points.findLastIndex(({ k }) => k <= last);
    return [Math.max(row, 0), Math.max(at, 0)];
  }

  // Keys move along a run, to other runs at the same position, and zoom around it.
  press(event) {
    const { frame, lines, zoom } = this.chart;
    if (!frame) return;
    const [row, k] = this.foothold();
    const at = lines[row].points[k].x;
    const way = WAYS[event.key];
    if (zoom.press(event, at) || !way) return;
    event.preventDefault();
    const { run, points } = lines[(row + way[0] + lines.length) % lines.length];
    const to = points[way[0] ? nearest(points, at) : Math.min(Math.max(k + way[1], 0), points.length - 1)];
    const [low, high] = frame.range;
    const beyond = Math.min(to.x - low, 0) + Math.max(to.x - high, 0);
    if (beyond) zoom.range = [low + beyond, high + beyond];
    this.go({ run: run.key, k: to.k });
  }

  // The run whose line is nearest to the pointer, and its record there.
  hover(event) {
    const { frame, lines, svg } = this.chart;
    const { x, y, box, range } = frame;
    const [px, py] = placeIn(svg, event);
    if (px < box.left || px > box.right || py > box.bottom) return this.chart.stress(this.onto);
    const along = range[0] + ((range[1] - range[0]) * (px - box.left)) / (box.right - box.left);
    const candidates = lines.map(({ run, points }) => {
      const point = points[nearest(points, along)];
      const heights = [point.lower, point.upper].filter((v) => v !== null).map((v) => Math.abs(y(v) - py));
      return { run, point, off: Math.min(...heights) + ASIDE * Math.abs(x(point.x) - px) };
    });
    const { run, point } = candidates.reduce((a, b) => (b.off < a.off ? b : a));
    this.describe(run, point, event.clientX, event.clientY);
  }

  // Mark a point, and describe it in a tip at a position in the window.
  describe(run, point, left, top) {
    const { x: value, k } = point;
    const { x, y, box } = this.chart.frame;
    const at = x(value);
    this.picture.draw([
      { id: "here", class: "here", x1: at, x2: at, y1: box.top, y2: box.bottom },
      { id: "point", cx: at, cy: Math.min(y(heightOf(point)), box.bottom), r: 5, fill: run.colour },
    ]);
    this.chart.stress(run.key);
    const bounds = [run.lower[k], run.upper[k]];
    const rows = run.step === "sweep" ? ` · ${run.rows[k]} rows` : "";
    const read = run.work ? ` · ${entries(run.work[k])} entries read` : "";
    const isUnknown = bounds.includes(null);
    const gap = isUnknown ? number(null) : gapText(...bounds, isClosed(...bounds, this.chart.data.scale), 4);
    this.tip.show(left, top, [
      run.name,
      `LB ${number(bounds[0], 8)} · UB ${number(bounds[1], 8)} · gap ${gap}`,
      `${run.step} ${run.sweeps[k]}${rows} · ${number(run.seconds[k], 5)} s${read}`,
    ]);
  }
}
