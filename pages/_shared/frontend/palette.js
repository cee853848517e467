// Colours and dashes of the browser's pictures, for light and dark pages. The colours of quantities are in
// bender_core/visualization/palette.json; those of groups and variants come with the data.

const { light, dark: night, rows } = globalThis.benderLab.palette;

// The kinds of row, by number: name, the term that explains it, and dashes, so that colour is not needed to tell them
// apart.
export const ROWS = rows.map(({ name, dash }) => ({ name, term: name.split(" ")[0], dash: dash.join(" ") }));

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

const mixed = (from, to, share) => `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * share))})`;

// The colour of a tension as a share of the largest.
export const tension = (share, dark) => mixed(...TENSION[dark ? "dark" : "light"], share);

const SHARES = [0, 0.25, 0.5, 0.75, 1];

export const gradient = (dark) => `linear-gradient(90deg, ${SHARES.map((share) => tension(share, dark)).join(", ")})`;

// Whether an element is on a dark page, by the page's own background.
export const isDark = (element) => {
  const background = getComputedStyle(element).getPropertyValue("--st-background-color");
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = background.trim() || "#fff";
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.3 * r + 0.6 * g + 0.1 * b < 128;
};
