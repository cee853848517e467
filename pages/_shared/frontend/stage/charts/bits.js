// The bits of the states below their columns: a row a member, filled where it is 1. With many members, only those rows
// in which columns differ from the best labelling, as far as there is room.

const SPACING = 13; // pixels of a row
const LETTER = 7.2;

export const bitsHeight = (rows) => rows * SPACING;

// Short names of the members: without the words with which all begin; too long ones lose their beginning.
const ownNames = (names, most) => {
  const [first = "", ...others] = names;
  let shared = others.length ? first.length : 0;
  for (const name of others) while (!name.startsWith(first.slice(0, shared))) shared -= 1;
  const words = first.slice(0, shared).search(/[^\s,([]*$/);
  const own = names.map((name) => name.slice(words));
  return own.map((name) => (name.length > most ? `…${name.slice(1 - most)}` : name));
};

// Which members have a row: all if there is room, else those in which most columns differ from the best labelling.
export const chosenMembers = ({ columns, best }, most) => {
  const all = [...columns[0].bits].map((_, k) => k);
  if (all.length <= most) return { members: all, differing: false };
  const reference = columns.find(({ state }) => state === best)?.bits ?? columns[0].bits;
  const differing = all.map((k) => columns.filter(({ bits }) => bits[k] !== reference[k]).length);
  const kept = all.filter((k) => differing[k] > 0).sort((a, b) => differing[b] - differing[a]);
  return {
    members: kept.slice(0, most).sort((a, b) => a - b),
    differing: true,
    others: all.length - Math.min(kept.length, most),
    reference,
  };
};

export const bitMarks = ({ update, columns, chosen, names, top }) => {
  const { members, differing, reference } = chosen;
  const own = ownNames(names, Math.floor((columns.left - 8) / LETTER));
  const r = Math.min(4.4, columns.step * 0.36);
  return members.flatMap((k, row) => {
    const y = top + row * SPACING + SPACING / 2;
    const label = { x: columns.left - 6, "text-anchor": "end", y: y + 4.5, text: own[k] };
    const dots = update.columns.map(({ state, bits }, i) => {
      const isOne = bits[k] === "1";
      const isSame = differing && bits[k] === reference[k] && state !== update.best;
      const means = row === 0 ? { what: "bits", state, bits } : undefined;
      const kind = isSame ? "state-bit same" : isOne ? "state-bit one" : "state-bit";
      return {
        id: `bit ${k} ${state}`,
        class: kind,
        cx: columns.x(i),
        cy: y,
        r: isSame ? 1.2 : r,
        means,
      };
    });
    return [{ id: `bit ${k}`, class: "soft", ...label }, ...dots];
  });
};
