// What is seen, in a sentence that follows the chosen view.
import { axis_title, percent } from "./format.js";

const over = ({ action, slice, other }) =>
  `Mean ${axis_title(action)} over ${axis_title(slice.x)} and ${axis_title(slice.y)}${other ? `, with ${other} next to it` : ""}`;
const difference = ({ slice, other }) => (slice.teacher || other ? ` Difference: the embedding's less ${other ? `that of ${other}` : "the teacher's"}.` : "");
const contours = "Contours: where the teacher is a tenth, a hundredth and a thousandth as often as at its most visited place.";

export function slice_words({ action, slice, other, zoom, others, path }) {
  const held = others === 0 ? "" : `; ${others} other ${others === 1 ? "dimension" : "dimensions"} fixed, at first at the mean of visited states`;
  const reach = zoom ? ", zoomed to where 98% of the visited states are" : ", over the whole range";
  const lines = path ? " Lines: the episode above, teacher dashed; dots: its present step." : "";
  return `${over({ action, slice, other })}${reach}${held}.${difference({ slice, other })}${slice.visits ? ` ${contours}` : ""}${lines}`;
}

export function plane_words({ action, slice, other }) {
  return `${over({ action, slice, other })}: the two directions along which the action changes most where the teacher goes ` +
    `(${percent(100 * slice.share, 0)} of its mean squared slope). Direction 1: ${slice.x.words}. Direction 2: ${slice.y.words}. ` +
    `Observations are counted in standard deviations from their mean.${difference({ slice, other })}`;
}

export function polar_words() {
  return "Each ring is a state that the teacher visits, in the order of its mean action; the angle is the action, the colour how likely it is.";
}
