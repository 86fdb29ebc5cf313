import { axis_title } from "./format.js";

// Words for the codes that answers carry.
const terms = {
  paired: "Both played the same episodes; the mean difference of their returns is bounded.",
  coupling: "From the teacher's episodes alone: how long both would choose the same actions.",
  modelfree_d1: "From the mean distance of the two action distributions.",
  pruning: "What the rule for unvisited cells adds, against the teacher's actions in them.",
  trivial: "What the task's range of returns says without looking.",
  coupling_geom: "From the largest distance of the two in any state.",
  exact: "Both solved exactly in a finite process.",
  "model-exact": "Both solved exactly in a finite model of the task.",
  "model-exact+error": "The same, and what the model may be off.",
  "model-exact/discretisation": "The part that the lattice alone costs, solved in the model.",
  "model-exact/pruning": "The part that unvisited cells cost, solved in the model.",
  "model-exact/projection": "The part that keeping few coefficients costs, solved in the model.",
  B0: "What the range of rewards says without looking.",
  B1: "The largest distance of actions in any state, with one critic.",
  B2: "Distances of actions, weighted by how often states occur.",
  B3: "From quantities of one policy alone.",
  B4: "From rollouts of one policy and densities of the other.",
  B5: "The first step where coupled actions differ.",
  B6: "The largest distance of actions alone.",
  B7: "Distance of the coefficients in a kernel, with a critic.",
  B8: "Squares of the coefficients, weighted.",
  B9: "The printed route, corrected.",
  D1: "Wasserstein distance of actions and the slope of the critic.",
  B7j: "Distance of the coefficients in the kernel of the whole table, with a critic.",
  L1: "Logarithms of the two tables, weighted.",
  L2: "The same by coefficients in a kernel.",
  three_terms: "Discretisation, pruning and projection, each bounded by itself, and summed.",
  "three_terms/discretisation": "How far discretisation moves actions, and the slope of the critic.",
  "three_terms/pruning": "The first visit of a cell that is not held.",
  "three_terms/projection": "Distance of the coefficients in the kernel of the embedding's own basis.",
  lipschitz_discretisation: "How far discretisation moves actions, and the slope of the teacher's Q.",
  lipschitz_three_terms: "How far all three steps move actions, and the slope of the teacher's Q.",
  C4: "How far apart the visited states are.",
  V1: "How far the spread of values may change.",
  mean_error: "The mean error of the action on states that nothing else saw.",
};

const levels = {
  paper: "as published (no guarantee)",
  rigorous: "guaranteed by theorem",
  model: "holds in an estimated model, not in the task (no guarantee)",
  exact: "computed",
  statistical: "guaranteed",
  estimate: "estimated (no guarantee)",
};
const quantities = {
  return: "return",
  discounted_return: "discounted return",
  pruning: "discounted return, by pruning alone",
  stationary_l1: "stationary distributions, L1",
  stationary_l2: "stationary distributions, Euclidean",
  stationary_max: "stationary distributions, largest entry",
  occupancy_l1: "discounted occupancies, L1",
  sd_q: "spread of Q",
  variance_q: "variance of Q",
  mean_action: "mean action",
  h_norm: "squared RKHS norm",
  tail: "squared RKHS norm of the tail",
  reward: "reward of one round",
  volume: "discretisation volume",
  condition: "condition: 1 holds, 0 does not",
  action: "action, in percent of its range",
  return_percent: "return, in percent of the teacher's",
  outside: "share of episodes with a return outside the range",
  failures: "share of episodes that fail",
  discretisation: "discounted return, by discretisation alone",
  projection: "discounted return, by projection alone",
};
const variations = { actions: "share of states with another action", distributions: "of action distributions" };

// A code without words stands for itself.
const from = (table) => (code) => table[code] ?? code;
export const variation_words = from(variations);

const in_model = "_in_model";
export function level_words(level, about = "") {
  if (level === "exact" && about.endsWith(in_model)) return "computed exactly in an estimated model of the task, not in the task";
  return from(levels)(level);
}
export function quantity_words(code) {
  if (!code.endsWith(in_model)) return from(quantities)(code);
  return `${from(quantities)(code.slice(0, -in_model.length))} in the model`;
}

// "B2'_T" is a form of B2.
export function term_words({ term, level }) {
  const known = terms[term] ?? terms[term.replace(/_T$/, "").replace(/'$/, "")];
  return known ?? (level === "paper" ? "A published formula, evaluated as it is printed." : "A bound from the distance of the two policies.");
}

// What goes in and comes out, and how often: "Takes theta (rad); gives torque (N m), -2 to 2; one action every 0.05 s."
export function contract_words({ observation, action, dt }) {
  const shown = 12, titles = observation.axes.map(axis_title);
  const seen = titles.length > shown ? `${titles.slice(0, shown).join(", ")} and ${titles.length - shown} more` : titles.join(", ");
  const limits = (axis) => (axis.range.includes(null) ? axis_title(axis) : `${axis_title(axis)} ${axis.range[0]} to ${axis.range[1]}`);
  const played = action.count > 0 ? `one of ${action.count} actions` : action.axes.map(limits).join(", ");
  return `Takes ${seen}; gives ${played}${dt > 0 ? `; one action every ${dt} s` : ""}.`;
}
