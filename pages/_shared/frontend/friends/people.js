// Friends as circles, filled if they go, and their wishes as lines: solid to be together, dotted to be apart.

import { mix } from "../numbers.js";

const LETTER = 15; // pixels from a circle to the name below it

// Friends of some places in a box, in pixels; whole names need `air` around.
export const placed = (places, { left, right, top, bottom }, air) => {
  const [xs, ys] = [0, 1].map((side) => places.map((place) => place[side]));
  const [x0, y0] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - x0 || 1, Math.max(...ys) - y0 || 1];
  const scale = Math.min((right - left - 2 * air) / wide, (bottom - top - 2 * air) / high);
  const [x, y] = [(left + right - scale * wide) / 2, (top + bottom - scale * high) / 2];
  return places.map(([u, v]) => [x + (u - x0) * scale, y + (v - y0) * scale]);
};

export const wishId = ([i, j]) => `wish-${i}-${j}`;

// `isBroken`; `label`: on its line, if any, at a `share` of it; `width`, in pixels; `kind`: positive for a wish to be
// together.
export const wishMarks = (wishes, at, { isBroken, label, width, share = () => 0.5, kind = (wish) => wish[2] }) =>
  wishes.flatMap((wish) => {
    const [i, j] = wish;
    const [[x1, y1], [x2, y2]] = [at[i], at[j]];
    const looks = `${kind(wish) > 0 ? "together" : "apart"}${isBroken(wish) ? " broken" : ""}`;
    const text = label?.(wish);
    const place = { x: mix(x1, x2, share(wish)), y: mix(y1, y2, share(wish)) + 5, "text-anchor": "middle" };
    return [
      { id: wishId(wish), class: `wish ${looks}`, x1, y1, x2, y2, "stroke-width": width?.(wish) ?? 4 },
      text && { id: `${wishId(wish)} label`, class: `on-line ${looks}`, ...place, text },
    ];
  });

// `press(k)`: a friend is pressed; without it they only show what they do. `hidden`: not even that. `initials`: instead
// of names, for which there is no room. `above`: the friends whose names are above them, clear of their wishes.
export const friendMarks = (names, at, radius, { state, press, hidden = false, initials = false, above = [] }) =>
  names.flatMap((name, k) => {
    const [cx, cy] = at[k];
    const goes = hidden ? 0 : (state >> k) & 1;
    const does = goes ? "goes" : "stays";
    const pressable = press && {
      ...{ tabindex: 0, role: "button", "aria-label": `${name} ${does}`, "aria-pressed": Boolean(goes) },
      press: () => press(k),
    };
    return [
      { id: `friend ${k}`, class: `friend is-${goes}${press ? " pressable" : ""}`, cx, cy, r: radius, ...pressable },
      {
        ...{
          id: `does ${k}`,
          class: `does is-${goes}${initials ? " short" : ""}`,
          x: cx,
          y: cy + 5,
          "text-anchor": "middle",
        },
        text: initials ? name.slice(0, 2) : hidden ? "?" : String(goes),
      },
      !initials && {
        id: `name ${k}`,
        class: "person",
        x: cx,
        y: above.includes(k) ? cy - radius - LETTER / 2 : cy + radius + LETTER,
        "text-anchor": "middle",
        text: name,
      },
    ];
  });
