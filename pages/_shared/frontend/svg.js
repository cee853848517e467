// SVG elements.

export const SVG = "http://www.w3.org/2000/svg";

export const make = (parent, name, attributes = {}, text = null) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  parent.append(element);
  return element;
};

// A class that at most one of several shapes has; -1 for none.
export class Spotlight {
  constructor(shapes, name) {
    Object.assign(this, { shapes, name, at: -1 });
  }

  turn(k) {
    if (k === this.at) return;
    this.shapes[this.at]?.classList.remove(this.name);
    this.shapes[k]?.classList.add(this.name);
    this.at = k;
  }
}
