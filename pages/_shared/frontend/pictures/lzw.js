// The compression of GIF: strings of numbers seen before become codes, in blocks of at most 255 bytes.

const [MOST, BLOCK] = [4096, 255]; // codes, and bytes of a block

// Codes of growing length as bytes.
class Bits {
  constructor() {
    Object.assign(this, { bytes: [], kept: 0, count: 0 });
  }

  put(code, size) {
    this.kept |= code << this.count;
    this.count += size;
    while (this.count >= 8) this.shift();
  }

  shift() {
    this.bytes.push(this.kept & 255);
    this.kept >>>= 8;
    this.count -= 8;
  }

  blocks() {
    if (this.count > 0) this.shift();
    const blocks = [];
    for (let k = 0; k < this.bytes.length; k += BLOCK) {
      const block = this.bytes.slice(k, k + BLOCK);
      blocks.push(block.length, ...block);
    }
    return [...blocks, 0];
  }
}

// `bits`: the length of every one of the `numbers`.
export const lzw = (numbers, bits) => {
  const out = new Bits();
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  // Of every code the code of the string that is longer by one number; 0: there is none yet.
  const longer = new Uint16Array(MOST << bits);
  let [size, next, code] = [bits + 1, end + 1, numbers[0]];
  out.put(clear, size);
  for (let k = 1; k < numbers.length; k += 1) {
    const key = (code << bits) | numbers[k];
    if (longer[key]) {
      code = longer[key];
      continue;
    }
    out.put(code, size);
    code = numbers[k];
    if (next === MOST) {
      out.put(clear, size);
      longer.fill(0);
      [size, next] = [bits + 1, end + 1];
      continue;
    }
    longer[key] = next;
    if (next === 1 << size) size += 1;
    next += 1;
  }
  out.put(code, size);
  out.put(end, size);
  return out.blocks();
};
