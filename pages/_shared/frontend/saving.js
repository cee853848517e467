// Buttons that save what a component shows, by the component "pictures", whose code reaches a tab after its own.

const WAIT = 100; // milliseconds until that is looked for again, right after the component has come

export const pictures = async () => {
  while (!globalThis.benderLab.pictures) await new Promise((passed) => setTimeout(passed, WAIT));
  return globalThis.benderLab.pictures.main;
};

// The buttons of a menu; what moves, if anything does, is chosen there as well.
export const saveBy = (owner, menu) => {
  const span = menu.list.querySelector("[data-act=span]");
  for (const button of menu.list.querySelectorAll("[data-save]")) {
    if (button.dataset.save === "webm") button.hidden = !globalThis.MediaRecorder?.isTypeSupported("video/webm");
    button.onclick = async () => {
      menu.close();
      (await pictures()).save(owner, button.dataset.save, span?.value);
    };
  }
};
