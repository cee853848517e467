// The order of the steps: the one at the reading line is shown, whether it was scrolled to or pressed.

const LINE = { wide: 45, narrow: 72 }; // per cent of the height of the window; above it, on a phone, is the picture
const TYPED_INTO = "input, textarea, select, dialog";
const [FORWARD, BACK] = ["j", "k"];

export class Story {
  constructor(page) {
    this.page = page;
    this.steps = page.lessons.flatMap((lesson) => lesson.steps.map((element, k) => ({ element, lesson, k })));
    this.at = -1;
    this.narrow = matchMedia("(max-width: 900px)");
    this.narrow.addEventListener("change", () => this.read());
    this.read();
    page.$("[data-act=previous]").onclick = () => this.go(this.at - 1);
    page.$("[data-act=next]").onclick = () => this.go(this.at + 1);
    this.listening = new AbortController();
    addEventListener("keydown", (event) => this.press(event), { signal: this.listening.signal });
    this.turn(0);
    this.approach();
  }

  // Lessons within a window of what is in sight are drawn, once and for all.
  approach() {
    const near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) continue;
          near.unobserve(target);
          this.page.lessons.find(({ section }) => section === target).approach();
        }
      },
      // The app scrolls a part of the window, which has a margin of its own.
      { rootMargin: "100% 0px", scrollMargin: "100% 0px" },
    );
    for (const { section } of this.page.lessons) near.observe(section);
  }

  // At the first step of a lesson; the page begins at its top.
  open(slug) {
    const first = this.steps.findIndex(({ lesson }) => lesson.slug === slug);
    if (first > 0) this.go(first, "instant");
  }

  read() {
    this.observer?.disconnect();
    const above = LINE[this.narrow.matches ? "narrow" : "wide"];
    const reading = { rootMargin: `-${above}% 0px -${100 - above}% 0px` };
    this.observer = new IntersectionObserver((entries) => {
      const last = entries.filter(({ isIntersecting }) => isIntersecting).at(-1);
      if (last) this.turn(this.steps.findIndex(({ element }) => element === last.target));
    }, reading);
    for (const { element } of this.steps) this.observer.observe(element);
  }

  // Show a step. Its motion plays if it is the next one; stepping back, and jumps, show how it ends.
  turn(at) {
    const before = this.at;
    if (at === before) return;
    this.at = at;
    const { element, lesson, k } = this.steps[at];
    this.steps[before]?.element.classList.remove("current");
    element.classList.add("current");
    if (!lesson.isNear) lesson.approach();
    lesson.enter(k, at === before + 1);
    this.page.$("[data-act=previous]").disabled = at === 0;
    this.page.$("[data-act=next]").disabled = at === this.steps.length - 1;
    this.page.$(".where").textContent = `${at + 1} of ${this.steps.length}`;
    if (before >= 0 && this.steps[before].lesson !== lesson) this.page.say(lesson.slug);
  }

  go(at, behavior = this.page.still.matches ? "instant" : "smooth") {
    const { element, lesson } = this.steps[at] ?? {};
    if (!element) return;
    // What gives an answer away follows it.
    if (at === this.at + 1 && element.classList.contains("veiled")) lesson.askFirst();
    else element.scrollIntoView({ block: this.narrow.matches ? "start" : "center", behavior });
  }

  press(event) {
    if (!this.page.root.isConnected) {
      this.listening.abort();
      return;
    }
    // The first picture, before the app is there, is only looked at.
    if (this.page.root.getRootNode().host.closest("[inert]")) return;
    const isMeant = !(event.ctrlKey || event.metaKey || event.altKey);
    if (!isMeant || event.composedPath()[0].closest?.(TYPED_INTO)) return;
    const by = { [FORWARD]: 1, [BACK]: -1 }[event.key.toLowerCase()];
    if (by) this.go(this.at + by);
  }
}
