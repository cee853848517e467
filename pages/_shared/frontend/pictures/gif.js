// Moving pictures as GIF: of every picture only what has changed, in colours of its own. They can be computed while the
// next one is not known yet, so that no film has to be held.

import { lzw } from "./lzw.js";
import { paletteOf } from "./palette_of.js";

const [UNCHANGED, BITS] = [255, 8]; // the number of the colour that lets the picture before be seen; bits of a number
const LOOP = [0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0];
const KEEP = 4; // what is drawn stays
const HUNDREDTH = 10; // milliseconds

const word = (value) => [value & 255, value >> 8];

// The least rectangle that has all that differs: left, top, width and height; one pixel if nothing does.
const changedIn = (pixels, before, width) => {
  if (!before) return [0, 0, width, pixels.length / width];
  let [left, right, top, bottom] = [width, 0, -1, 0];
  for (let k = 0; k < pixels.length; k += 1) {
    if (pixels[k] === before[k]) continue;
    const [x, y] = [k % width, Math.floor(k / width)];
    if (top < 0) top = y;
    bottom = y;
    if (x < left) left = x;
    if (x > right) right = x;
  }
  return top < 0 ? [0, 0, 1, 1] : [left, top, right - left + 1, bottom - top + 1];
};

export class Gif {
  constructor() {
    Object.assign(this, { parts: [], size: 0, count: 0, before: null, due: 0, written: 0 });
  }

  put(bytes) {
    this.parts.push(Uint8Array.from(bytes));
    this.size += bytes.length;
  }

  // Durations are written in hundredths of a second; what rounding takes away, the next picture gets.
  delay(ms) {
    this.due += ms / HUNDREDTH;
    const delay = Math.round(this.due - this.written);
    this.written += delay;
    return delay;
  }

  add({ canvas, pixels, ms }) {
    const { width } = canvas;
    if (!this.before) this.begin(canvas);
    const box = changedIn(pixels, this.before, width);
    const { colours, numbers } = this.drawn(pixels, width, box);
    this.put([0x21, 0xf9, 4, KEEP | 1, ...word(this.delay(ms)), UNCHANGED, 0]);
    this.put([0x2c, ...box.flatMap(word), 0x80 | (BITS - 1), ...colours, BITS]);
    this.put(lzw(numbers, BITS));
    this.before = pixels;
    this.count += 1;
  }

  begin({ width, height }) {
    this.put([..."GIF89a"].map((letter) => letter.charCodeAt(0)));
    this.put([...word(width), ...word(height), 0, 0, 0, ...LOOP]);
  }

  // The colours of a part of the picture, and the number of the colour of each of its pixels.
  drawn(pixels, width, [left, top, wide, high]) {
    const { before } = this;
    const counts = new Map();
    const changed = (k) => !before || pixels[k] !== before[k];
    const each = (see) => {
      for (let y = top, to = 0; y < top + high; y += 1) {
        for (let k = y * width + left, end = k + wide; k < end; k += 1, to += 1) see(k, to);
      }
    };
    each((k) => {
      if (changed(k)) counts.set(pixels[k], (counts.get(pixels[k]) ?? 0) + 1);
    });
    const { colours, numberOf } = paletteOf(counts, UNCHANGED);
    const numbers = new Uint8Array(wide * high);
    each((k, to) => {
      numbers[to] = changed(k) ? numberOf.get(pixels[k]) : UNCHANGED;
    });
    return { colours, numbers };
  }

  finish() {
    this.put([0x3b]);
    return new Blob(this.parts, { type: "image/gif" });
  }
}
