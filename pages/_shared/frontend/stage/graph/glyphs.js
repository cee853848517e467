// The marks that say which state is meant.

// ◆ the best labelling, ▲ y*, ■ a neighbour's answer.
export const GLYPHS = {
  best: (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`,
  "y*": (x, y, r) => `M${x} ${y - r}l${1.1 * r} ${1.9 * r}h${-2.2 * r}z`,
  answer: (x, y, r) => `M${x - 0.8 * r} ${y - 0.8 * r}h${1.6 * r}v${1.6 * r}h${-1.6 * r}z`,
};
