// The speaker's notes, in a window of their own.

const PAGE = `<title>Notes</title><style>
  body { font: 1.6rem/1.45 sans-serif; margin: 1.5rem; max-width: 40em; color-scheme: light dark; }
  .where { display: flex; justify-content: space-between; font-size: 1rem; opacity: 0.75; }
  .following { font-size: 1.1rem; opacity: 0.75; border-top: 1px solid; padding-top: 0.75rem; }
</style><p class="where"><span class="place"></span><span class="time"></span></p>
<p class="note"></p><p class="following"></p>`;
const SECOND = 1000; // milliseconds

const two = (number) => String(number).padStart(2, "0");

export class Notes {
  // `press`: keys that are pressed there.
  constructor(press) {
    Object.assign(this, { press, window: null, begun: null });
  }

  get isOpen() {
    return this.window !== null && !this.window.closed;
  }

  open(talk) {
    if (!this.isOpen) this.window = window.open("", "bender-lab-notes", "width=720,height=560");
    if (!this.window) return; // the browser refuses
    this.window.document.body.innerHTML = PAGE;
    this.window.onkeydown = (event) => this.press(event) && event.preventDefault();
    this.begun ??= Date.now();
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), SECOND);
    this.draw(talk);
  }

  draw({ title, at, count, note, following }) {
    if (!this.isOpen) return;
    this.write("place", at < 0 ? `${title}, ${count} moments` : `${title}, ${at + 1} of ${count}`);
    this.write("note", note);
    this.write("following", following && `Next: ${following}`);
    this.tick();
  }

  write(name, text) {
    this.window.document.querySelector(`.${name}`).textContent = text;
  }

  // The time since the notes were opened.
  tick() {
    if (!this.isOpen) return clearInterval(this.timer);
    const seconds = Math.floor((Date.now() - this.begun) / SECOND);
    return this.write("time", `${Math.floor(seconds / 60)}:${two(seconds % 60)}`);
  }
}
