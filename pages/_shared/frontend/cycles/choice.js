// What raises the bound: shares of cycles by a linear program, messages over triplets, or both side by side.

export class Choice {
  constructor(owner) {
    Object.assign(this, { owner, by: null });
    for (const button of this.buttons()) button.onclick = () => this.choose(button.dataset.by);
  }

  buttons() {
    return this.owner.root.querySelectorAll("button[data-by]");
  }

  // What is shown now; it may not yet be what was chosen.
  receive(by) {
    if (this.by === null) this.set(by);
  }

  set(by) {
    this.by = by;
    for (const button of this.buttons()) button.setAttribute("aria-pressed", String(button.dataset.by === by));
  }

  choose(by) {
    if (by === this.by) return;
    this.set(by);
    this.owner.player.giveUp();
    this.owner.isStopped = false;
    this.owner.ask("show");
  }
}
