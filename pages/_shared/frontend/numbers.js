// A value within two ends, and one between them.

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export const mix = (from, to, share) => from + (to - from) * share;
