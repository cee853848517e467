// The address bar of every page names the model and where its run is shown, so that a reload finds them again:
// Streamlit drops them when a page is opened. If an address replaces another run in the tab, a link back is offered.

import { html } from "../html.js";
import { leaveWithScreen, pressLecture } from "../lecture.js";
import { recalled, remember } from "../tour.js";

const MEMORY = "bender-lab:address";
const TALK = "bender-lab:talk";
const TYPED_INTO = "input, textarea, select, dialog, [role^=menu], [role=option]";
const EVERY = 250; // milliseconds between two looks at the address bar

const remembered = () => JSON.parse(sessionStorage.getItem(MEMORY) ?? "null");

// A tab has room for some megabytes.
const keep = (name, text) => {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    sessionStorage.removeItem(name);
  }
};

const step = History.prototype.pushState.bind(history);

// Streamlit clears the address of a page before it opens another one, as a step of its own: Back would lead to this
// very page without an address. Only this module decides the address of a page, and what is a step within it.
const keepSteps = () => {
  history.pushState = (state, unused, url) => {
    if (new URL(url, location).pathname !== location.pathname) step(state, unused, url);
  };
};

const isReload = () => performance.getEntriesByType("navigation")[0]?.type === "reload";

// Which run has replaced which, in words that distinguish them.
const replaced = (now, before) => {
  const opened = (what) => `This address has opened ${what}.`;
  if (now.name !== before.name) return `${opened(now.name)} Before, this tab had ${before.name}.`;
  if (now.run === before.run) return opened(`another run of ${now.name} than this tab had before`);
  return `${opened(`${now.name} with ${now.run}`)} Before, this tab had it with ${before.run}.`;
};

class Address {
  constructor(root) {
    this.root = root;
    this.gone = false; // Back or Forward was pressed: the address bar is ahead of the page
    this.open = new AbortController();
    const { signal } = this.open;
    addEventListener("popstate", () => Object.assign(this, { gone: true }), { signal });
    addEventListener("pagehide", () => this.look(), { signal });
    addEventListener("keydown", (event) => this.press(event), { signal });
    document.addEventListener("fullscreenchange", leaveWithScreen, { signal });
    const timer = setInterval(() => this.look(), EVERY);
    signal.onabort = () => clearInterval(timer);
  }

  // `query`: the address of this page, null if the page writes it itself; `model`: what tells its run from others;
  // `name` and `run`: the model and how it is run, in words.
  receive(data, send) {
    const { data: before } = this;
    if (data.tour) this.tour(data, send);
    this.talk(data.talk, send);
    Object.assign(this, { data, gone: false });
    if (!before && !globalThis.benderLab.addressed) this.offer(remembered());
    if (!globalThis.benderLab.addressed) keepSteps();
    globalThis.benderLab.addressed = true;
    this.look();
  }

  // The guided tour continues where it was left in this browser: the session is informed once of what it does not know.
  tour(data, send) {
    const isFirst = !globalThis.benderLab.toured;
    globalThis.benderLab.toured = true;
    const { lesson: before, done } = recalled(data.tour);
    const lesson = isFirst ? before : data.tour.lesson;
    remember(lesson, done);
    if (!isFirst || (lesson === data.tour.lesson && done.length === data.tour.done.length)) return;
    send("recalled", { lesson, done });
  }

  // The tab keeps its talk for when its page is loaded again. Null: the session knows of none; empty: it was closed.
  talk(text, send) {
    const kept = sessionStorage.getItem(TALK);
    if (text) keep(TALK, text);
    else if (text === "") sessionStorage.removeItem(TALK);
    else if (kept) send("talk", kept);
  }

  // Keys of every page.
  press(event) {
    if (!this.root.isConnected) return this.open.abort();
    if (event.ctrlKey || event.metaKey || event.altKey || event.composedPath()[0].closest?.(TYPED_INTO)) return null;
    return pressLecture(event) && event.preventDefault();
  }

  isOpen() {
    return location.pathname.split("/").at(-1) === this.data.page;
  }

  look() {
    if (!this.root.isConnected) return this.open.abort();
    const { query, model, name, run } = this.data;
    if (this.gone || !this.isOpen()) return null;
    if (query && location.search !== `?${query}`) history.replaceState(history.state, "", `?${query}`);
    const { pathname, search } = location;
    return sessionStorage.setItem(MEMORY, JSON.stringify({ model, name, run, href: pathname + search }));
  }

  // The run in the tab before this address was opened.
  offer(before) {
    if (!before || !before.model || before.model === this.data.model || isReload()) return;
    const link = html("a", { href: before.href }, "Go back to it");
    const close = html("button", {}, "Dismiss");
    close.onclick = () => this.put();
    this.put(replaced(this.data, before), link, close);
  }

  // The page makes room for it, so that it covers nothing.
  put(...parts) {
    this.root.replaceChildren(...parts);
    this.root
      .getRootNode()
      .host.closest(".st-key-address_bar")
      ?.toggleAttribute("data-offers", parts.length > 0);
  }
}

export const receive = (root, data, send) => {
  root.address ??= new Address(root);
  root.address.receive(data, send);
};
