// What all parts of the stage draw with.

const SVG = "http://www.w3.org/2000/svg";

// Viridis, loose = the end that stands out from the page.
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137],
  [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];

const number = (value, digits = 5) => {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-3)) {
    return Math.abs(value) < 1e-12 ? "0" : value.toExponential(2).replaceAll("-", "−");
  }
  const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return String(Number(value.toFixed(Math.max(0, Math.min(4, digits + 1 - whole))))).replace("-", "−");
};

// How far two bounds are apart, relative to the larger of them in size (bender_core.run.bounds.relative_gap).
const relativeGap = (lower, upper) => {
  const difference = upper - lower;
  if (!(difference > 0)) return 0;
  const largest = Math.max(Math.abs(lower), Math.abs(upper));
  return largest < Infinity ? difference / largest : Infinity;
};

// Two energies this close are the same as far as a run can tell; `scale`: how much energy is at stake
// (bender_core/run/bounds.py).
const closeness = (lower, upper, scale) => Math.max(1e-8 * Math.min(Math.max(Math.abs(lower), Math.abs(upper)), scale), 1e-12 * scale);

const gapText = (lower, upper, scale, digits) => {
  if (lower === null || upper === null) return "–";
  return upper - lower <= closeness(lower, upper, scale) ? "0, closed" : `${number(100 * relativeGap(lower, upper), digits)} %`;
};

// A name where there is little room; one that is isolated, as it runs from right to left (pages/_shared/app/text.py), stays so.
const short = (text, most) => {
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…${text.startsWith("\u2068") ? "\u2069" : ""}` : text;
};

const make = (parent, name, attributes = {}, text = null) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  parent.append(element);
  return element;
};

// What is no button but acts as one: Enter and the space bar press it too.
const pressable = (element, act) => {
  element.onclick = act;
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
};

// How a key zooms a chart: + in (= is the same key without shift), − out, 0 to all of it; undefined for other keys.
const zoomOf = (event) => (event.ctrlKey || event.metaKey ? undefined : { "+": 0.8, "=": 0.8, "-": 1.25, 0: 1e9 }[event.key]);

const ticks = (low, high, wanted) => {
  const raw = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return out;
};

const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A line between two nodes, bent just enough to pass by the nodes that stand in its way, within the pane.
const arch = (at, p, q, width) => {
  const [[x0, y0], [x1, y1]] = [at[p], at[q]];
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [nx, ny] = [-(y1 - y0) / length, (x1 - x0) / length];
  let bend = 0;
  at.forEach(([x, y], k) => {
    if (k === p || k === q) return;
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length ** 2;
    const off = (x - x0) * nx + (y - y0) * ny;
    if (along > 0.05 && along < 0.95 && Math.abs(off) < 26) {
      const needed = (off > 0 ? off - 34 : off + 34) / (2 * along * (1 - along));
      if (Math.abs(needed) > Math.abs(bend)) bend = needed;
    }
  });
  bend = Math.max(-0.5 * length, Math.min(0.5 * length, bend));
  const outside = (b) => Math.abs((x0 + x1) / 2 + (nx * b) / 2 - width / 2) > width / 2 - 6;
  if (outside(bend) && !outside(-bend)) bend = -bend;
  const [cx, cy] = [(x0 + x1) / 2 + nx * bend, (y0 + y1) / 2 + ny * bend];
  return `M${x0.toFixed(1)} ${y0.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
};

// Axes of a chart with their scales; redraws the whole (small) svg.
const axes = (svg, [x0, x1], [y0, y1], xName, yName) => {
  const { width, height } = svg.getBoundingClientRect();
  svg.replaceChildren();
  const pad = (y1 - y0 || Math.abs(y1) || 1) * 0.06;
  const [low, high] = [y0 - pad, y1 + pad];
  const [top, bottom] = [8, height - 38];
  const levels = ticks(low, high, Math.max(2, (bottom - top) / 30));
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(levels[1] - levels[0] || 1) + 1e-9)));
  const labels = levels.map((t) => (Math.abs(t) < 1e6 ? t.toFixed(digits).replace("-", "−") : number(t, 3)));
  const box = { left: 34 + 8 * Math.max(...labels.map((label) => label.length)), right: width - 12, top, bottom };
  const x = (v) => box.left + ((v - x0) / (x1 - x0 || 1)) * (box.right - box.left);
  const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
  levels.forEach((t, k) => {
    make(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: y(t), y2: y(t) });
    make(svg, "text", { class: "soft", x: box.left - 6, y: y(t) + 5, "text-anchor": "end" }, labels[k]);
  });
  if (xName.ticks) {
    for (const t of ticks(x0, x1, (box.right - box.left) / 90)) {
      if (Number.isInteger(t)) make(svg, "text", { class: "soft", x: x(t), y: box.bottom + 17, "text-anchor": "middle" }, String(t));
    }
  }
  make(svg, "text", { class: "soft", x: (box.left + box.right) / 2, y: height - 4, "text-anchor": "middle" }, xName.label);
  const middle = (box.top + box.bottom) / 2;
  make(svg, "text", { class: "soft", x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${middle}) rotate(-90)` }, yName);
  return { x, y, box };
};
