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
