// The stage in lecture mode: pictures without controls, and as many of them as have been revealed.

import { isLecture, whenLectureTurns } from "../lecture.js";

const ALL = "4"; // the graph, the message, the costs and bounds, the words
const LAYERS = ["1", "2", "3", ALL];

export class Lecture {
  constructor(stage) {
    this.stage = stage;
    this.layers = ALL;
    const here = new AbortController();
    whenLectureTurns(() => (stage.root.isConnected ? this.draw() : here.abort()), here.signal);
    // Fingers have no keys.
    for (const button of stage.root.querySelectorAll(".presenter button")) {
      const sent = { key: button.dataset.key, bubbles: true, composed: true };
      button.onclick = () => stage.root.dispatchEvent(new KeyboardEvent("keydown", sent));
    }
    this.draw();
  }

  // Take a key; returns whether it is the number of a layer.
  press(key) {
    const is = isLecture() && LAYERS.includes(key);
    if (is) this.reveal(key);
    return is;
  }

  // Show the first layers.
  reveal(layers) {
    this.layers = layers;
    this.draw();
  }

  draw() {
    const { root } = this.stage;
    root.parentElement.classList.toggle("lecture", isLecture());
    root.dataset.layers = this.layers;
  }
}
