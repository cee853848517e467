// Files of what the stage shows: a picture, or a moving one. The stage calls what is exported; so the code of all this
// reaches a tab after the stage's own.

import { copyOf } from "./copy.js";
import { CycleFilm } from "./cycle_film.js";
import { Film } from "./film.js";
import { Gif } from "./gif.js";
import { named, namedCycles, namedRace } from "./names.js";
import { Stopped } from "./photographed.js";
import { blobOf, raster } from "./raster.js";
import { Video } from "./video.js";

const FINE = 2; // pixels of a PNG for one of the page
const WIDEST = 1280; // pixels of a moving picture
const LARGEST = 5e6; // bytes of one
const SPARE = 0.85; // share of that to aim at where a first try was too large
const [KNOWN, SURELY] = [0.2, 1.2]; // share of a film after which its size is known to be as many times too large
const SAID = 4000; // milliseconds that the result is in sight
const MAKERS = { gif: Gif, webm: Video };
// By component, what makes its films, if it moves, and the names of its files.
const SHOWN = { stage: [Film, named], cycles: [CycleFilm, namedCycles], curves: [null, namedRace] };

let hiding = null; // the timer that takes the last result away

// Nothing of it is seen.
export const receive = () => {};

const download = (blob, name) => {
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAID);
};

const sizeOf = ({ size }) => (size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`);

// What is drawn now.
const still = async (stages, kind, name) => {
  const copy = copyOf(stages, name);
  const blob = kind === "svg" ? blobOf(copy) : await (await raster(copy, FINE)).canvas.convertToBlob();
  return { blob, text: sizeOf(blob) };
};

// A try to make a moving picture: how large it would become if it is too large, else 0.
const tried = async (maker, film, scale, say) => {
  let first = 0;
  for await (const picture of film.pictures(scale)) {
    await maker.add(picture);
    say(`picture ${Math.round(picture.share * film.count)} of ${film.count}`);
    first ||= maker.size;
    const expected = first + (maker.size - first) / picture.share;
    if (maker.size > LARGEST || (picture.share > KNOWN && expected > SURELY * LARGEST)) return expected;
  }
  return 0;
};

// It becomes smaller until its file is small enough.
const moving = async (stages, kind, film, say) => {
  let [scale, maker] = [Math.min(1, WIDEST / copyOf(stages).width), new MAKERS[kind](LARGEST)];
  for (let size = await tried(maker, film, scale, say); size; size = await tried(maker, film, scale, say)) {
    scale *= Math.sqrt((SPARE * LARGEST) / size);
    maker = new MAKERS[kind](LARGEST);
  }
  const waits = (ms) => film.wait(ms);
  const blob = await maker.finish(waits, (share) => say(`recording, ${Math.round(100 * share)} %`));
  return { blob, text: [sizeOf(blob), `${maker.count} pictures`, film.pace].filter(Boolean).join(", ") };
};

// The positions between which an update or a sweep is.
export const partOf = async (stage, span) => {
  const film = new Film(stage, span);
  try {
    await film.mark();
    return [film.from, film.to];
  } finally {
    await film.end();
  }
};

// Save what a stage shows, or the cycles; `span`: what moves, in a moving picture.
export const save = async (stage, kind, span) => {
  const stages = stage.root.parentElement;
  const [Moving, nameOf] = SHOWN[stage.root.dataset.component];
  const [panel, stop, out] = [".saving", "[data-act=unsave]", "[data-out=saving]"].map(stage.$);
  const say = (text) => {
    out.textContent = text;
  };
  const film = kind in MAKERS ? new Moving(stage, span) : null;
  clearTimeout(hiding);
  say(film ? "finding out how long it takes" : "drawing");
  stop.hidden = !film;
  stop.onclick = () => film.stop();
  panel.hidden = false;
  try {
    await film?.begin();
    const name = nameOf(stage, film);
    const { blob, text } = await (film ? moving(stages, kind, film, say) : still(stages, kind, name));
    download(blob, `${name}.${kind}`);
    say(`saved: ${text}`);
  } catch (problem) {
    say(problem instanceof Stopped ? problem.message : `nothing is saved: ${problem.message}`);
    if (!(problem instanceof Stopped)) throw problem;
  } finally {
    stop.hidden = true;
    await film?.end();
    hiding = setTimeout(() => {
      panel.hidden = true;
    }, SAID);
  }
};
