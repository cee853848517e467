// The press of a link that leads to another page. What is sent after it would count as a wish to stay, and Streamlit
// would not leave the page.

export const SOON = 2000; // milliseconds after such a press: if the page is still there then, it has not been left

export class Departure {
  constructor(root) {
    Object.assign(this, { home: location.pathname, pressed: Number.NEGATIVE_INFINITY });
    const press = (event) => {
      if (!root.isConnected) document.removeEventListener("click", press, true);
      else if (event.composedPath().some(({ tagName, target }) => tagName === "A" && !target))
        this.pressed = performance.now();
    };
    document.addEventListener("click", press, true);
  }

  // Whether the page is being left.
  get isNear() {
    return performance.now() - this.pressed < SOON || location.pathname !== this.home;
  }
}
