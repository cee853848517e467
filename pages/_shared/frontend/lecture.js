// Lecture mode: a page without its frame, in large type. Whether it is on is an attribute of the page, which every part
// of it can see; so is whether the page is blank.

const ON = "data-lecture";
const BLANK = "data-blank";

const page = document.documentElement;

export const isLecture = () => page.hasAttribute(ON);

// Browsers grant the whole screen only to a press, and not in every window.
export const turnLecture = (on = !isLecture()) => {
  page.toggleAttribute(ON, on);
  if (!on) page.removeAttribute(BLANK);
  if (on) page.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
};

// Where it fills the screen, the browser takes the key that leaves.
export const leaveWithScreen = () => {
  if (isLecture() && !document.fullscreenElement) turnLecture(false);
};

// `signal` ends it.
export const whenLectureTurns = (act, signal) => {
  const observer = new MutationObserver(act);
  observer.observe(page, { attributeFilter: [ON] });
  signal.addEventListener("abort", () => observer.disconnect());
};

// Take a key; returns whether it is one of the mode.
export const pressLecture = ({ key }) => {
  if (key.toLowerCase() === "p") turnLecture();
  else if (!isLecture()) return false;
  else if (key.toLowerCase() === "b") page.toggleAttribute(BLANK);
  else if (key === "Escape") turnLecture(false);
  else return false;
  return true;
};
