// The marks of the page, in it and in all of its components.

const MARK = "dfn, [data-term]";

const { glossary } = globalThis.benderLab;

// The names of terms by what stands on a page: the name itself, or the symbol.
const names = new Map(
  Object.entries(glossary).flatMap(([name, { symbol }]) => [[name, name], ...(symbol ? [[symbol, name]] : [])]),
);

// The name of the term of a mark.
export const nameOf = (mark) => names.get(mark.dataset.term ?? mark.textContent.trim());

// The mark in which an event happened, if any.
export const markOf = (event) => event.composedPath().find((each) => each.matches?.(MARK)) ?? null;

const within = (root) =>
  [...root.querySelectorAll("*")].flatMap((element) => [
    ...(element.matches(MARK) ? [element] : []),
    ...(element.shadowRoot ? within(element.shadowRoot) : []),
  ]);

const isSeen = (mark) => {
  const { width, height } = mark.getBoundingClientRect();
  return width * height > 0 && mark.checkVisibility({ visibilityProperty: true });
};

// One mark that is seen for each term, in the order of the page.
export const marksSeen = () => {
  const found = new Map();
  const seen = within(document).filter(isSeen);
  // What lies behind a dialog takes no keys.
  const inDialog = seen.filter((mark) => mark.closest("dialog:modal"));
  for (const mark of inDialog.length ? inDialog : seen) {
    const name = nameOf(mark);
    if (name && !found.has(name)) found.set(name, mark);
  }
  return [...found.values()];
};
