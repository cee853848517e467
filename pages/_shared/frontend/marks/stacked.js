// Places from top to bottom without overlap, as near as possible to the given ones.
export const stacked = (heights, top, bottom, spacing) => {
  const order = heights.map((y, k) => [y, k]).sort((a, b) => a[0] - b[0]);
  const room = Math.min(spacing, (bottom - top) / Math.max(order.length - 1, 1));
  const places = [];
  let low = top;
  for (const [y, k] of order) {
    places[k] = Math.max(y, low);
    low = places[k] + room;
  }
  let high = bottom;
  for (const [, k] of order.reverse()) {
    places[k] = Math.min(places[k], high);
    high = places[k] - room;
  }
  return places;
};
