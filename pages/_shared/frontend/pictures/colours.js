// Colours that any program reads: a style may have mixed ones, with a share of transparency.

const known = new Map();

const read = (text) => {
  const [r, g, b, alpha = 1] = (text.match(/(?<![a-z])-?[\d.]+(?:e-?\d+)?/g) ?? [0, 0, 0, 0]).map(Number);
  const unit = text.startsWith("color(") ? 255 : 1;
  return { colour: `rgb(${[r, g, b].map((value) => Math.round(value * unit))})`, alpha };
};

// A computed colour without its transparency, and how much of it is seen.
export const colourOf = (text) => {
  if (!known.has(text)) known.set(text, text === "none" ? { colour: "none", alpha: 0 } : read(text));
  return known.get(text);
};
