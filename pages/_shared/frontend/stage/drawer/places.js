// The places of columns, which do not change as long as their subject is the same.

export class Places {
  constructor() {
    Object.assign(this, { of: null, places: new Map() });
  }

  // A view with its stems in the places that they have; anew for something else, or with classes that have none.
  arranged(view, of) {
    const { state } = view.stems;
    if (of !== this.of || state.some((each) => !this.places.has(each))) {
      Object.assign(this, { of, places: new Map(state.map((each, k) => [each, k])) });
      return view;
    }
    const order = state.map((_, k) => k).sort((a, b) => this.places.get(state[a]) - this.places.get(state[b]));
    const columns = Object.entries(view.stems).map(([name, column]) => [name, order.map((k) => column[k])]);
    const [at_oracle, chosen] = [view.at_oracle, view.chosen].map((k) => order.indexOf(k));
    return { ...view, at_oracle, chosen, stems: Object.fromEntries(columns) };
  }
}
