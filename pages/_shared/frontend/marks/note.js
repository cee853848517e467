// Lines of text in the middle of an empty picture.

const APART = 22;

export const note = (lines, { width, height }) =>
  lines.map((text, k) => {
    const place = { x: width / 2, y: height / 2 + APART * k, "text-anchor": "middle" };
    return { id: `note ${k}`, class: "soft", ...place, text };
  });
