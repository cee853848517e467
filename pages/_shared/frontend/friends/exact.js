// The example, exact: energies of a few friends, and messages and rows between two tables, as the engine computes them
// (docs/method.md, sections 1.3, 2.2 and 3). A state is a number; its bit k is what the k-th friend does.

// Values that differ by less are equal.
export const NEAR = 1e-9;

export const bit = (state, k) => (state >> k) & 1;

export const statesOf = (count) => Array.from({ length: 2 ** count }, (_, state) => state);

// As the app writes states: the first friend first.
export const written = (state, count) => Array.from({ length: count }, (_, k) => bit(state, k)).join("");

// In words.
export const whoGoes = (names, state) => {
  const going = names.filter((_, k) => bit(state, k));
  if (!going.length) return "nobody goes";
  if (going.length === names.length) return "all go";
  return `${going.join(" and ")} ${going.length > 1 ? "go" : "goes"}`;
};

// The place of the least value, the first among equals.
export const leastOf = (values) => values.indexOf(Math.min(...values));

// `own`: what going costs each friend, and `staying`: what staying does; `wishes`: `[i, j, cost]`, positive to be
// together and negative to be apart.
export class Friends {
  constructor(own, wishes, staying = own.map(() => 0)) {
    Object.assign(this, { own, wishes, staying, count: own.length });
  }

  isBroken([i, j, cost], state) {
    return (bit(state, i) === bit(state, j)) !== cost > 0;
  }

  energy(state) {
    const going = this.own.reduce((sum, cost, k) => sum + (bit(state, k) ? cost : this.staying[k]), 0);
    return this.wishes.reduce((sum, wish) => sum + (this.isBroken(wish, state) ? Math.abs(wish[2]) : 0), going);
  }

  energies() {
    return statesOf(this.count).map((state) => this.energy(state));
  }
}

// The normal form of the wishes between tables: what going and staying cost then, and the discounts.
export const normalForm = ({ own, wishes }, isBetween) => {
  const form = { going: own.slice(), staying: own.map(() => 0), discounts: [] };
  for (const [i, j, cost] of wishes) {
    if (!isBetween(i, j)) continue;
    // A wish to be together makes going dearer for both, by its cost, and gives twice that back if both go. One to be
    // apart makes going dearer for the first and staying for the second, and gives twice back if they do that.
    const [value, weight] = [cost > 0 ? 1 : 0, Math.abs(cost)];
    form.going[i] += weight;
    (value ? form.going : form.staying)[j] += weight;
    form.discounts.push({ i, j, value, weight: 2 * weight });
  }
  return form;
};

// The friends at one table, by themselves.
export const tableOf = ({ going, staying }, wishes, members) => {
  const at = new Map(members.map((friend, k) => [friend, k]));
  return new Friends(
    members.map((friend) => going[friend]),
    wishes.filter(([i, j]) => at.has(i) && at.has(j)).map(([i, j, cost]) => [at.get(i), at.get(j), cost]),
    members.map((friend) => staying[friend]),
  );
};

// Two tables of friends: what each costs by itself, and the discounts between them, in normal form. Below, `changes` is
// what going costs the friends of the sender beyond that: what they have heard from others.
export class Tables {
  constructor({ own, wishes }, receivers, senders) {
    const form = normalForm({ own, wishes }, (i, j) => receivers.includes(i) && senders.includes(j));
    this.discounts = form.discounts.map(({ i, j, value, weight }) => ({
      ...{ k: receivers.indexOf(i), l: senders.indexOf(j), value, weight },
    }));
    this.receiver = tableOf(form, wishes, receivers);
    this.sender = tableOf(form, wishes, senders);
  }

  // The cost of an answer of the sender to a state of the receiver.
  cost(state, answer, changes = []) {
    const given = this.discounts.filter(({ k, l, value }) => bit(state, k) && bit(answer, l) === value);
    return this.sent(answer, changes) - given.reduce((sum, { weight }) => sum + weight, 0);
  }

  // What the sender's states cost by themselves: minus the message that it gets back.
  sent(answer, changes = []) {
    return this.sender.energy(answer) + changes.reduce((sum, cost, l) => sum + cost * bit(answer, l), 0);
  }

  answer(state, changes) {
    return leastOf(statesOf(this.sender.count).map((answer) => this.cost(state, answer, changes)));
  }

  nu(changes) {
    return statesOf(this.receiver.count).map((state) => this.cost(state, this.answer(state, changes), changes));
  }

  // The reverse Magnanti-Wong row made at a state: what it charges each friend of the receiver for going.
  charges(anchor) {
    const charged = new Array(this.receiver.count).fill(0);
    for (const { k, weight } of this.discounts) if (!bit(anchor, k)) charged[k] += weight;
    return charged;
  }

  // Its intercept: the one part that depends on what the sender has heard.
  intercept(anchor, changes) {
    return Math.min(...statesOf(this.sender.count).map((answer) => this.cost(anchor, answer, changes)));
  }

  row(anchor, changes) {
    const [charges, first] = [this.charges(anchor), this.intercept(anchor, changes)];
    return statesOf(this.receiver.count).map((state) => valueOf(first, charges, state));
  }
}

// The value of a row: its intercept minus the charges of the friends who go.
export const valueOf = (intercept, charges, state) =>
  charges.reduce((sum, charge, k) => sum - charge * bit(state, k), intercept);
