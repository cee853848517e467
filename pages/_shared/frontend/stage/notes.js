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
  // `given`: the talk's state in this tab, with the window. `press`: keys that are pressed there.
  constructor(given, press) {
    Object.assign(this, { given, press });
    if (this.isOpen) this.listen();
  }

  get isOpen() {
    return this.given.window !== null && !this.given.window.closed;
  }

  open(talk) {
    const { given } = this;
    if (!this.isOpen && talk.at <= 0) given.begun = null;
    if (!this.isOpen) given.window = window.open("", "bender-lab-notes", "width=720,height=560");
    if (!given.window) return; // the browser refuses
    given.begun ??= Date.now();
    this.draw(talk);
  }

  listen() {
    const { given } = this;
    given.window.onkeydown = (event) => this.press(event) && event.preventDefault();
    clearInterval(given.timer);
    given.timer = setInterval(() => this.tick(), SECOND);
  }

  draw({ title, at, count, note, following }) {
    if (!this.isOpen) return;
    // Its page is empty when it is new, or was loaded again.
    if (!this.given.window.document.querySelector(".place")) {
      this.given.window.document.body.innerHTML = PAGE;
      this.listen();
    }
    this.write("place", at < 0 ? `${title}, ${count} moments` : `${title}, ${at + 1} of ${count}`);
    this.write("note", note);
    this.write("following", following && `Next: ${following}`);
    this.tick();
  }

  write(name, text) {
    this.given.window.document.querySelector(`.${name}`).textContent = text;
  }

  // The time since the notes were opened for the first moment.
  tick() {
    if (!this.isOpen) return clearInterval(this.given.timer);
    const seconds = Math.floor((Date.now() - this.given.begun) / SECOND);
    return this.write("time", `${Math.floor(seconds / 60)}:${two(seconds % 60)}`);
  }
}
