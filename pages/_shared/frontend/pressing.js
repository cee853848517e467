// Elements that act as buttons: Enter and the space bar press them too.
export const pressable = (element, act) => {
  element.onclick = act;
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
};

// Follows the pointer from a press until its release.
export const follow = (move, drop = () => {}) => {
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    drop();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
};

// Two fingers on an element: `spread` is called with the factor by which they have parted since its last call, and with
// their midpoint. Returns whether two fingers are on the element.
export const pinched = (element, spread) => {
  let before = null;
  element.addEventListener(
    "touchmove",
    (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const [a, b] = event.touches;
      const apart = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
      if (before) spread(apart / before, middle);
      before = apart;
    },
    { passive: false },
  );
  for (const end of ["touchstart", "touchend"]) element.addEventListener(end, () => (before = null));
  return () => before !== null;
};
