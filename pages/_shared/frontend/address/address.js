// The address bar of every page names the model and where its run is shown, so that a reload finds them again:
// Streamlit drops that when a page is opened. An address that replaces what the tab had before offers it again.

const MEMORY = "bender-lab:address";
const EVERY = 250; // milliseconds between two looks at the address bar

const remembered = () => JSON.parse(sessionStorage.getItem(MEMORY) ?? "null");

const isReload = () => performance.getEntriesByType("navigation")[0]?.type === "reload";

// What has replaced what, in words that tell the two apart.
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
    const timer = setInterval(() => this.look(), EVERY);
    signal.onabort = () => clearInterval(timer);
  }

  // `said`: the address of this page, null if the page states it itself; `place`: where in the page; `model`: what
  // tells its run from others; `name` and `run`: the model and how it is run, in words.
  receive(data) {
    const { data: before, gone } = this;
    Object.assign(this, { data, gone: false });
    const moved = before?.page === data.page && before.place !== data.place;
    if (moved && !gone && this.isOpen()) history.pushState({}, "", `?${data.said}`);
    if (!before && !globalThis.benderLab.addressed) this.offer(remembered());
    globalThis.benderLab.addressed = true;
    this.look();
  }

  isOpen() {
    return location.pathname.split("/").at(-1) === this.data.page;
  }

  look() {
    if (!this.root.isConnected) return this.open.abort();
    const { said, model, name, run } = this.data;
    if (this.gone || !this.isOpen()) return null;
    if (said && location.search !== `?${said}`) history.replaceState(history.state, "", `?${said}`);
    const { pathname, search } = location;
    return sessionStorage.setItem(MEMORY, JSON.stringify({ model, name, run, href: pathname + search }));
  }

  // What the tab had before this address was opened.
  offer(before) {
    if (!before || !before.model || before.model === this.data.model || isReload()) return;
    const link = Object.assign(document.createElement("a"), { href: before.href, textContent: "Take it back" });
    const close = Object.assign(document.createElement("button"), { textContent: "Dismiss" });
    close.onclick = () => this.put();
    this.put(replaced(this.data, before), link, close);
  }

  // The page makes room for it, so that it covers nothing.
  put(...parts) {
    this.root.replaceChildren(...parts);
    this.root.getRootNode().host.closest(".st-key-address_bar")?.toggleAttribute("data-offers", parts.length > 0);
  }
}

export const receive = (root, data) => {
  root.address ??= new Address(root);
  root.address.receive(data);
};
