// Colours and dashes chosen in the browser. Those of groups and variants come from the library, with the data.

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

// The colour of a share, on a light or a dark page.
export const ramp = (share, dark) => {
  const t = (dark ? 0.35 + 0.65 * share : 0.8 * (1 - share)) * (VIRIDIS.length - 1);
  const k = Math.min(Math.floor(t), VIRIDIS.length - 2);
  const mix = VIRIDIS[k].map((c, i) => Math.round(c + (VIRIDIS[k + 1][i] - c) * (t - k)));
  return `rgb(${mix})`;
};

export const gradient = (dark) => {
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => ramp(share, dark));
  return `linear-gradient(90deg, ${stops.join(", ")})`;
};

// Whether an element is on a dark page, by the page's own background.
export const isDark = (element) => {
  const background = getComputedStyle(element).getPropertyValue("--st-background-color");
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = background.trim() || "#fff";
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.3 * r + 0.6 * g + 0.1 * b < 128;
};
