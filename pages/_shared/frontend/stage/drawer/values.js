// A class in words, the same on all pages: its members that are 1.

export const valuesText = (names, bits) => {
  const ones = names.filter((_, k) => bits[k] === "1");
  if (ones.length === 0 || ones.length === names.length) return `all ${ones.length ? 1 : 0}`;
  return `${ones.join(", ")} = 1, ${names.length - ones.length > 1 ? "others" : "the other"} 0`;
};
