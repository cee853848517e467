// The line of runs that lead one to the next, as one timeline: the events of a chapter end where the next one begins.

const AFTER = 60; // milliseconds without another move of the scrubber until another chapter is asked for

export class Chapters {
  constructor(stage) {
    Object.assign(this, { stage, all: [], at: 0, wanted: null, plays: false });
  }

  // Another run has come. The stage holds the chapters until the next one comes.
  begin({ chapters, chapter }) {
    Object.assign(this, { all: chapters, at: chapter, wanted: null });
  }

  // Playing goes on in the next chapter, once its circles have come together.
  goOn() {
    const { player, panes } = this.stage;
    player.playing ||= this.plays;
    this.plays = false;
    if (player.playing && !panes.flow.isOn) player.run();
  }

  // The best lower bound known where a run has one: its own, or that of a chapter before.
  best(lower) {
    return Math.max(lower, this.all[this.at].kept ?? -Infinity);
  }

  get isFirst() {
    return this.at === 0;
  }

  get isLast() {
    return this.at === this.all.length - 1;
  }

  // The events of a chapter that there are so far: the last one may go on.
  lengthOf(k) {
    const { length } = this.all[k];
    return k === this.at ? Math.max(this.stage.player.seen, length) : length;
  }

  // The events before a chapter, and all.
  before(k) {
    return this.all.slice(0, k).reduce((sum, _, i) => sum + this.lengthOf(i), 0);
  }

  get total() {
    return this.before(this.all.length);
  }

  // Show an event of the whole line.
  show(place) {
    let k = 0;
    while (k < this.all.length - 1 && place > this.before(k + 1)) k += 1;
    const to = place - this.before(k);
    clearTimeout(this.timer);
    if (k === this.at) return this.stage.player.jump(to);
    this.stage.player.stop();
    this.timer = setTimeout(() => this.turn(k, to), AFTER);
  }

  // To the end of the chapter before, or to the beginning of the next one; false if there is none.
  leave(backward, plays = false) {
    if (this.wanted !== null) return true;
    if (backward ? this.isFirst : this.isLast) return false;
    this.plays = plays;
    this.turn(this.at + (backward ? -1 : 1), backward ? this.all[this.at - 1].length : 0);
    return true;
  }

  turn(chapter, to) {
    this.wanted = chapter;
    this.stage.questions.ask("turn", { chapter, to });
  }

  // Play from the beginning of the first one.
  restart() {
    this.plays = true;
    this.turn(0, 0);
  }

  // To the end of all that is known.
  toEnd() {
    this.turn(this.all.length - 1, this.all.at(-1).length);
  }

  // Which of them is shown, in words; nothing where there is one.
  get said() {
    return this.all.length > 1 ? `chapter ${this.at + 1} of ${this.all.length} · ` : "";
  }
}
