// The pictures of a film: what is drawn at each of its moments.

import { copyOf } from "./copy.js";
import { isSame, raster } from "./raster.js";

export const STEP = 1000 / 12; // milliseconds from one picture to the next
export const MOST = 240; // pictures; what takes longer is played faster
const HOLD = 2000; // milliseconds that the last picture stays

// Why there is no film.
export class Stopped extends Error {}

// Canvas, pixels, milliseconds, and the share of the film that each ends. What stays the same is one picture.
export async function* photographed(film, scale) {
  const walk = film.walk(film.step);
  let [shown, sight, text, ms, k] = [null, "", "", 0, 0];
  const picture = () => ({ ...shown, ms, share: Math.min(k / film.count, 1) });
  for (; !(await walk.next()).done; ms += STEP, k += 1) {
    if (sight === film.sight) continue;
    sight = film.sight;
    film.draw();
    const copy = copyOf(film.root.parentElement);
    if (copy.text === text) continue;
    text = copy.text;
    const next = await raster(copy, scale);
    if (shown && !isSame(shown.pixels, next.pixels)) {
      yield picture();
      ms = 0;
    }
    shown = next;
    await film.wait(0);
  }
  ms += HOLD;
  yield picture();
}
