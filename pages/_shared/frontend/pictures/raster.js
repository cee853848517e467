// Copies of the stage as pixels.

export const blobOf = ({ text }) => new Blob([text], { type: "image/svg+xml" });

// A copy on a canvas, enlarged by `scale`; `pixels`: each pixel as one number.
export const raster = async (copy, scale) => {
  const image = new Image();
  const url = URL.createObjectURL(blobOf(copy));
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(Math.round(copy.width * scale), Math.round(copy.height * scale));
  const ink = canvas.getContext("2d", { willReadFrequently: true });
  ink.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return { canvas, pixels: new Uint32Array(ink.getImageData(0, 0, canvas.width, canvas.height).data.buffer) };
};

export const isSame = (one, other) => one.length === other.length && one.every((pixel, k) => pixel === other[k]);
