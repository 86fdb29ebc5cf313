// What stands in the plot of bytes against loss: the present size of this embedding, other embeddings, and what was
// tried or could be used instead.
import { plain } from "./format.js";

const known = (loss_percent) => loss_percent !== undefined && loss_percent !== null;

// The sizes on the slider of a report are points of their own: their losses were measured when it was written.
function cuts({ subject, source, store }) {
  if (source.live) return [];
  return subject.sizes.filter((size) => known(size.loss_percent) && size.k !== subject.k).map((size) => ({
    name: `${subject.name} cut to ${size.k} terms`, kind: "embedding", bytes: size.payload_bytes, loss_percent: size.loss_percent,
    on_front: false, pick: { subject: store.get().subject, k: size.k },
  }));
}

export function front_points(page, evaluation) {
  const here = ({ group }) => group === page.entry().group;
  const points = page.view.front.candidates.filter(here).map((one) => ({
    name: `${plain(one.route)} ${one.basis}, ${one.k} terms${one.format ? `, ${one.format}` : ""}`,
    kind: "embedding", bytes: one.payload_bytes, loss_percent: one.loss_percent, on_front: one.on_front, roughness: one.roughness, admissible: one.admissible,
    pick: one.subject === null ? undefined : { subject: one.subject },
  }));
  if (known(evaluation?.loss_percent)) {
    points.push({ name: `shown now (${evaluation.k} terms)`, kind: "embedding", bytes: evaluation.payload_bytes, loss_percent: evaluation.loss_percent, on_front: false, now: true });
  }
  const alternatives = page.view.front.alternatives.filter(here).map((one) => ({
    name: one.name, kind: "alternative", bytes: one.bytes, loss_percent: one.loss_percent, on_front: false,
  }));
  return [...points, ...cuts(page), ...alternatives];
}
