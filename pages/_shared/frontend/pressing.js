// What is no button but acts as one: Enter and the space bar press it too.
export const pressable = (element, act) => {
  element.onclick = act;
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
};

// What follows the pointer from a press until it is let go.
export const follow = (move, drop = () => {}) => {
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    drop();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
};
