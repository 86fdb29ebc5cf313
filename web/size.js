// The size slider and the figures that follow it.
import { loss_interval, loss_text, number, percent, whole } from "./format.js";
import { variation_words } from "./words.js";

// What is measured beside the loss, and what a tile calls it.
const behaviour = {
  roughness: "Roughness", saturation: "Saturation", effort: "Effort", reversals: "Reversals", failures: "Failures", distance: "Distance of actions",
};

function tile(title, text, under, kind) {
  const box = document.createElement("div");
  box.className = "tile";
  const term = document.createElement("dt"), value = document.createElement("dd");
  term.textContent = title;
  value.textContent = text;
  if (kind) value.classList.add(kind);
  if (under) {
    const more = document.createElement("span");
    more.className = "under";
    more.textContent = under;
    value.append(more);
  }
  box.append(term, value);
  return box;
}

export function tiles(evaluation, subject) {
  const { episodes, teacher, embedding, loss_percent, ci95_percent } = evaluation;
  const made = [];
  if (episodes > 0) {
    const interval = ci95_percent ? `measured; 95% interval: ${loss_interval(ci95_percent)}` : "measured";
    made.push(tile("Against its teacher", loss_text(loss_percent), interval));
    made.push(tile("Return", number(embedding.mean, 4), `measured; teacher ${number(teacher.mean, 4)}`));
    for (const line of evaluation.outcomes.filter(({ code }) => code in behaviour)) {
      const box = tile(behaviour[line.code], line.embedding, line.code === "distance" ? `${line.teacher} where the teacher goes` : `teacher ${line.teacher}`, line.warning ? "bad" : undefined);
      box.title = line.words;
      made.push(box);
    }
  }
  made.push(tile("Payload", `${whole(evaluation.payload_bytes)} bytes`, subject.teacher.bytes ? `teacher's file ${whole(subject.teacher.bytes)}` : ""));
  made.push(tile("Numbers", whole(evaluation.parameters), `${whole(evaluation.k)} terms`));
  if (evaluation.w1 !== null) made.push(tile("W1 distance", number(evaluation.w1), "of actions, where the teacher goes"));
  if (evaluation.tv !== null) made.push(tile("Total variation", number(evaluation.tv), variation_words(evaluation.tv_about)));
  if (evaluation.operations !== null) made.push(tile("Operations", whole(evaluation.operations), "for one action, in C"));
  if (evaluation.flash_bytes !== null) made.push(tile("Tables in flash", `${whole(evaluation.flash_bytes)} bytes`, "of the exported C"));
  return made;
}

export function size_text(subject, place, unit) {
  const size = subject.sizes[place];
  return unit === "bytes" ? `${whole(size.payload_bytes)} of ${whole(subject.payload_bytes)} bytes` : `${whole(size.k)} of ${whole(subject.k)}`;
}
