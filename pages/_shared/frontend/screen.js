// Sizes and places in pictures, in units: pixels, or more of them where the page enlarges its type for a large window.

// A finger needs more room than a mouse.
export const isTouched = matchMedia("(pointer: coarse)").matches;

export const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

// The size of an element, and the corner of it in the window (in pixels). A picture is drawn in units from then on.
export const measured = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const scale = unit();
  const size = { left, top, width: width / scale, height: height / scale };
  if (!(element instanceof SVGElement)) return size;
  if (scale === 1) element.removeAttribute("viewBox");
  else element.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  return size;
};

// Where a pointer is in a picture.
export const placeIn = (element, { clientX, clientY }) => {
  const { left, top } = element.getBoundingClientRect();
  const scale = unit();
  return [(clientX - left) / scale, (clientY - top) / scale];
};
