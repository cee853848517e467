// Moving pictures as WebM. The recorder takes what a canvas shows in real time, so all pictures are kept first.

const MOST = 2.5e6; // bits of a second
const SHARE = 0.8; // of the bytes allowed: the recorder does not keep to a rate exactly

export class Video {
  // `largest`: bytes of the file.
  constructor(largest) {
    Object.assign(this, { largest, pictures: [], size: 0 });
  }

  get count() {
    return this.pictures.length;
  }

  async add({ canvas, ms }) {
    this.pictures.push({ image: await canvas.convertToBlob(), ms });
    [this.width, this.height] = [canvas.width, canvas.height];
  }

  // `waits` passes a number of milliseconds, and throws once Stop was pressed; `say` takes the share that is recorded.
  async finish(waits, say) {
    const { width, height } = this;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const stream = canvas.captureStream(0);
    const total = this.pictures.reduce((sum, { ms }) => sum + ms, 0);
    const videoBitsPerSecond = Math.min(MOST, (SHARE * 8 * this.largest) / (total / 1000));
    const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((done) => {
      recorder.onstop = done;
    });
    recorder.start();
    try {
      await this.play(canvas.getContext("2d"), stream.getVideoTracks()[0], waits, (ms) => say(ms / total));
    } finally {
      recorder.stop();
    }
    await stopped;
    return new Blob(parts, { type: "video/webm" });
  }

  async play(ink, track, waits, say) {
    const begun = performance.now();
    let due = 0;
    for (const { image, ms } of this.pictures) {
      ink.drawImage(await createImageBitmap(image), 0, 0);
      track.requestFrame();
      due += ms;
      await waits(Math.max(begun + due - performance.now(), 0));
      say(due);
    }
    // It lasts until the next one would come.
    track.requestFrame();
  }
}
