// How numbers of a size are written.

// Digits after the point for values of a size.
export const digitsFor = (values) => {
  const largest = Math.max(...values.map(Math.abs), 1e-12);
  return Math.min(Math.max(2 - Math.floor(Math.log10(largest)), 0), 12);
};

export const fixed = (value, digits) => {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
};
