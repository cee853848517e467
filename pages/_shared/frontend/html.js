// Elements of a page.

// An element with attributes; its content are texts and other elements.
export const html = (name, attributes = {}, ...content) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
};
