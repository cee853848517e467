// The runs that lead to the last one, as one timeline: the events of a chapter end where the next one begins.

const AFTER = 60; // milliseconds without another move of the scrubber until another chapter is requested
const CLOSE = 1e-9; // places that count as equal

export class Chapters {
  constructor(stage) {
    Object.assign(this, { stage, all: [], at: 0, requested: null, plays: false });
  }

  // Another run has come. The stage holds the chapters until the next one comes.
  begin({ chapters, chapter }) {
    Object.assign(this, { all: chapters, at: chapter, requested: null });
  }

  // Playing goes on in the next chapter, once its circles have come together.
  goOn() {
    const { player, panes } = this.stage;
    player.playing ||= this.plays;
    this.plays = false;
    if (player.playing && !panes.flow.isOn) player.run();
  }

  // The best lower bound known, given that of this run: its own, or that of an earlier chapter, or of cycles.
  best(lower) {
    return Math.max(lower, this.all[this.at].kept?.lower ?? -Infinity);
  }

  // The same for the least energy that a bound leaves possible.
  least(least) {
    return Math.max(least, this.all[this.at].kept?.least ?? -Infinity);
  }

  // If that bound is not of the chapter shown, whose it is, in words; the drawing is of the chapter shown.
  keeper(moment) {
    return moment && this.best(moment.lower) > moment.lower ? `of ${this.all[this.at].kept.by}` : "";
  }

  get isFirst() {
    return this.at === 0;
  }

  get isLast() {
    return this.at === this.all.length - 1;
  }

  // The number of events of a chapter so far; the last chapter may continue.
  lengthOf(k) {
    const { length } = this.all[k];
    return k === this.at ? Math.max(this.stage.player.seen, length) : length;
  }

  // The number of events of the chapters before the one shown.
  get before() {
    return this.all.slice(0, this.at).reduce((sum, { length }) => sum + length, 0);
  }

  get total() {
    return this.all.reduce((sum, _, k) => sum + this.lengthOf(k), 0);
  }

  // Where chapters begin on the strip, and where the last one ends, from 0 to 1. They share half of it evenly, so that
  // short ones have room.
  get begins() {
    const { total, all } = this;
    const share = (k) => (1 / all.length + (total ? this.lengthOf(k) / total : 1 / all.length)) / 2;
    return all.reduce((ends, _, k) => [...ends, ends[k] + share(k)], [0]);
  }

  // Where on the strip an event is, and the event there.
  along(position, k = this.at) {
    const [begin, end] = this.begins.slice(k);
    const { first } = this.stage.player;
    return begin + ((end - begin) * (position - first)) / Math.max(this.lengthOf(k) - first, 1);
  }

  positionAt(place, k = this.at) {
    const [begin, end] = this.begins.slice(k);
    const { first } = this.stage.player;
    return first + Math.round(((place - begin) / (end - begin)) * (this.lengthOf(k) - first));
  }

  // Show the event at a value of the scrubber; values are places times the number of all events.
  show(value) {
    const place = value / Math.max(this.total, 1);
    const { begins } = this;
    const k = Math.max(
      begins.findLastIndex((begin) => begin < place - CLOSE),
      0,
    );
    const to = this.positionAt(place, k);
    clearTimeout(this.timer);
    if (k === this.at) return this.stage.player.jump(to);
    this.stage.player.stop();
    this.timer = setTimeout(() => this.turn(k, to), AFTER);
  }

  // To the end of the chapter before, or to the beginning of the next one; false if there is none.
  leave(backward, plays = false) {
    if (this.requested !== null) return true;
    if (backward ? this.isFirst : this.isLast) return false;
    this.plays = plays;
    this.turn(this.at + (backward ? -1 : 1), backward ? this.all[this.at - 1].length : 0);
    return true;
  }

  turn(chapter, to) {
    this.requested = chapter;
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

  // Which chapter is shown, in words; empty if there is only one.
  get label() {
    return this.all.length > 1 ? `chapter ${this.at + 1} of ${this.all.length} · ` : "";
  }
}
