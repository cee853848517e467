// How far a reader of Learn is, as the browser remembers it: the lesson that is open, and those whose guesses were
// right.

import { isAddressed } from "./fields.js";

const KEPT = "bender-lab:tour";

const areTexts = (values) => Array.isArray(values) && values.every((value) => typeof value === "string");

// Null if the browser remembers nothing, or something that this version has not written.
const remembered = () => {
  try {
    const { lesson, done } = JSON.parse(localStorage.getItem(KEPT));
    return areTexts([lesson]) && areTexts(done) ? { lesson, done } : null;
  } catch {
    return null;
  }
};

// What a session knows and what the browser remembers, together: a lesson of the address comes first, then the
// browser's.
export const recalled = ({ lesson, done }) => {
  const kept = remembered() ?? { lesson, done: [] };
  return { lesson: isAddressed("lesson") ? lesson : kept.lesson, done: [...new Set([...done, ...kept.done])] };
};

export const remember = (lesson, done) => localStorage.setItem(KEPT, JSON.stringify({ lesson, done }));
