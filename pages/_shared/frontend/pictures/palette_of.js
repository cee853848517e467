// A few colours in place of many: the most frequent stay as they are, the others are parted by median cuts.

const EXACT = 96; // colours that stay as they are

const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
const sum = (values) => values.reduce((a, b) => a + b, 0);

// Colours that are to become one. `along`: the channel in which they differ most.
const boxOf = (members) => {
  const spans = [0, 1, 2].map((c) => {
    const values = members.map(({ rgb }) => rgb[c]);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  const span = Math.max(...spans);
  return { members, along: spans.indexOf(span), weight: span * Math.sqrt(sum(members.map(({ count }) => count))) };
};

// Two boxes with half of the pixels each.
const parted = ({ members, along }) => {
  const sorted = members.toSorted((a, b) => a.rgb[along] - b.rgb[along]);
  const half = sum(sorted.map(({ count }) => count)) / 2;
  let [at, before] = [0, 0];
  while (at < sorted.length - 1 && before + sorted[at].count <= half) {
    before += sorted[at].count;
    at += 1;
  }
  const cut = Math.max(at, 1);
  return [boxOf(sorted.slice(0, cut)), boxOf(sorted.slice(cut))];
};

const meanOf = ({ members }) => {
  const count = sum(members.map((each) => each.count));
  return [0, 1, 2].map((c) => Math.round(sum(members.map((each) => each.rgb[c] * each.count)) / count));
};

// `counts`: the number of pixels of every colour. Reduces them to `most` colours at the most: the bytes of a table of
// 256, and the index there of each original colour.
export const paletteOf = (counts, most) => {
  const all = [...counts].map(([pixel, count]) => ({ pixel, count, rgb: channels(pixel) }));
  all.sort((a, b) => b.count - a.count);
  const isFew = all.length <= most;
  const boxes = all.slice(0, isFew ? most : EXACT).map((each) => boxOf([each]));
  if (!isFew) boxes.push(boxOf(all.slice(EXACT)));
  while (!isFew && boxes.length < most) {
    const widest = boxes.reduce((a, b) => (b.weight > a.weight ? b : a));
    boxes.splice(boxes.indexOf(widest), 1, ...parted(widest));
  }
  const colours = new Uint8Array(3 * 256);
  const numberOf = new Map();
  boxes.forEach((box, number) => {
    colours.set(meanOf(box), 3 * number);
    for (const { pixel } of box.members) numberOf.set(pixel, number);
  });
  return { colours, numberOf };
};
