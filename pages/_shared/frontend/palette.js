// Colours and dashes of the browser's pictures, for light and dark pages. Which colour a quantity has is said in
// bender_core/visualization/palette.json; those of groups and variants come with the data.

const { light, dark: night, rows } = globalThis.benderLab.palette;

// The kinds of row, by number: name, and dashes, so that colour is not needed to tell them apart.
export const ROWS = rows.map(({ name, dash }) => ({ name, dash: dash.join(" ") }));

// Give an element, and all within it, the colours of its page; a style reads them as variables: --lb, --floor.
export const dress = (element, dark) => {
  for (const [name, colour] of Object.entries(dark ? night : light)) element.style.setProperty(`--${name}`, colour);
};

// Tension: from grey to purple, away from the page in both themes.
const TENSION = {
  light: [
    [148, 158, 168],
    [139, 26, 98],
  ],
  dark: [
    [88, 98, 108],
    [255, 138, 205],
  ],
};

// Viridis; a share of 1 is the end with the stronger contrast to the page.
const VIRIDIS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
];

export const DASHES = { solid: "", dot: "2 4", dash: "8 5" };

const mixed = (from, to, share) => `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * share))})`;

// The colour of a tension as a share of the largest.
export const tension = (share, dark) => mixed(...TENSION[dark ? "dark" : "light"], share);

// The colour of a share, on a light or a dark page.
export const ramp = (share, dark) => {
  const t = (dark ? 0.35 + 0.65 * share : 0.8 * (1 - share)) * (VIRIDIS.length - 1);
  const k = Math.min(Math.floor(t), VIRIDIS.length - 2);
  return mixed(VIRIDIS[k], VIRIDIS[k + 1], t - k);
};

const SHARES = [0, 0.25, 0.5, 0.75, 1];

export const gradient = (dark, scale = ramp) =>
  `linear-gradient(90deg, ${SHARES.map((share) => scale(share, dark)).join(", ")})`;

// Whether an element is on a dark page, by the page's own background.
export const isDark = (element) => {
  const background = getComputedStyle(element).getPropertyValue("--st-background-color");
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = background.trim() || "#fff";
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.3 * r + 0.6 * g + 0.1 * b < 128;
};
