// The sentences around the chart: what it shows, what it leaves out, and what to press where there is nothing.

const UNIT = {
  sweeps: "sweeps",
  rounds: "sweeps, or rounds",
  rows: "Benders rows in use",
  seconds: "seconds of the run's computing time",
  work: "work: table entries read",
};
const WHAT = {
  bounds: "bounds on the energy",
  lower: "lower bounds on the energy",
  gap: "distance of the lower bound to the best upper bound",
};
const HOW = {
  bounds:
    "Thick: lower bound (<dfn>LB</dfn>), thin: upper bound (<dfn>UB</dfn>), the energy of the best labelling; " +
    "they close in on the optimum.",
  lower: "The lower bound (<dfn>LB</dfn>) on the energy of all labellings; higher is better.",
  gap: "How far the lower bound is below the best labelling of all runs; at the bottom the <dfn>gap</dfn> is closed.",
};
const COLOURS =
  "Colour: α of the Magnanti-Wong rows; solid with ○: reverse rows on the loosest edge, " +
  "dotted with ×: on all loose edges.";
const WITHOUT = {
  rows: " Exact runs have no rows, nor have methods without chosen groups: they are not drawn.",
  sweeps: " External solvers have no sweeps, but reports: they are not drawn.",
  work:
    " Other work is converted to entries; on any machine it is the same. " +
    "That of external solvers is not counted, nor was it in runs kept by earlier versions: they are not drawn.",
};
const LEADS = " The strip at the top has the colour and the dashes of the run whose lower bound leads along this axis";
const BY_SECONDS = "; who is first, and by how much, goes by seconds of computing time, whatever the axis.";
const WITHIN = " A run that ended within a sweep is drawn half a sweep further; the table counts complete ones.";
const BEYOND =
  " The range of energies leaves out first bounds and labellings far from the rest: at ▾ and ▴ a line goes on " +
  "beyond it; zoom in there to see how far.";

export const unitOf = ({ x }, runs) => UNIT[x === "sweeps" && runs.some((run) => run.step === "round") ? "rounds" : x];

export const titleOf = (choice, runs) => `: ${WHAT[choice.y]} against ${unitOf(choice, runs)}`;

const endsWithin = ({ step, sweeps }) => step !== "report" && sweeps.length > 1 && sweeps.at(-1) === sweeps.at(-2);

// How to read the chart, as HTML with terms; `isCut`: whether a line goes on beyond the range of energies; `isShort`:
// whether runs are left out.
export const explained = (choice, runs, isCut, isShort) =>
  [
    `${HOW[choice.y]} ${COLOURS}`,
    runs.length > 1 ? `${LEADS}${choice.x === "seconds" ? "." : BY_SECONDS}` : "",
    choice.x === "sweeps" && runs.some(endsWithin) ? WITHIN : "",
    isCut ? BEYOND : "",
    isShort ? WITHOUT[choice.x] : "",
  ].join("");

const LACKING = {
  rows: ["These runs take no rows:", "look at sweeps or seconds."],
  sweeps: ["These runs have no sweeps:", "look at seconds."],
  work: ["Nobody has counted the work of these runs:", "look at seconds."],
};

// What to press where no line is drawn. Two lines fit a narrow window too.
export const invitation = ({ x }, runs, hidden) => {
  if (!runs.length) return ["Press Race:", "the runs take turns; bounds appear here."];
  if (runs.every((run) => hidden.has(run.key))) return ["All runs are hidden:", "press their names below."];
  return LACKING[x] ?? ["…"];
};
