// Numbers and names for display.

const EXACT = 1e-12; // the relative error with which a number still counts as exact
const MOST = 12; // digits

// Whether a number is shown without a power of ten.
const isPlain = (value) => value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e12);

const DIGITS = 5; // of a bound, as in sentences (`decimals` in bender_core/looking/words.py)

// Digits after the point.
export const decimalsOf = (value, digits = DIGITS) => {
  const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return Math.max(0, Math.min(4, digits - whole));
};

export const number = (value, digits = DIGITS) => {
  if (value === null || !Number.isFinite(value)) return "–";
  if (isPlain(value)) return String(Number(value.toFixed(decimalsOf(value, digits)))).replace("-", "−");
  return Math.abs(value) < 1e-12 ? "0" : value.toExponential(digits - 1).replaceAll("-", "−");
};

// A count in groups of three digits.
export const grouped = (n) => n.toLocaleString("en").replaceAll(",", " ");

// The table entries that were read.
export const entries = (count) => {
  if (count === Infinity) return "…";
  return count >= 1e6 ? `${number(count / 1e6, 4)} M` : grouped(Math.round(count));
};

// A bound for a claim: a number of that many digits that is not beyond it.
const claimed = (value, round) => {
  if (value === null || !Number.isFinite(value) || !isPlain(value)) return number(value, MOST);
  const unit = 10 ** decimalsOf(value);
  const nearest = Math.round(value * unit);
  const isExact = Math.abs(nearest - value * unit) <= EXACT * Math.abs(nearest);
  return number((isExact ? nearest : round(value * unit)) / unit);
};

export const atMost = (value) => claimed(value, Math.ceil);
export const atLeast = (value) => claimed(value, Math.floor);

// An abbreviated name; one isolated because it runs from right to left (pages/_shared/app/text.py) stays isolated.
export const short = (text, most) => {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const kept = letters.slice(0, most - 1).join("");
  return `${kept.trimEnd()}…${text.startsWith("\u2068") ? "\u2069" : ""}`;
};

const END = 3; // letters, as of "(1)"

// As `short`, but with its end, by which names that are numbered differ.
export const shortInside = (text, most) => {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const end = text.endsWith("\u2069") ? END + 1 : END;
  return `${letters
    .slice(0, Math.max(most - 1 - end, 1))
    .join("")
    .trimEnd()}…${letters.slice(-end).join("")}`;
};

// A text in lines of some letters at most, longer words excepted.
export const wrapped = (text, most) => {
  const found = [];
  for (const word of text.split(" ")) {
    const last = found.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
};
