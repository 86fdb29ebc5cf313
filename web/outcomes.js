// What teacher and embedding did, side by side. Texts and warnings come with the answer.
import { element, table } from "./tables.js";

export const warnings_of = (outcomes) => outcomes.map((line) => line.warning).filter((text) => text !== "");

export function show_warnings(parent, outcomes) {
  parent.append(...warnings_of(outcomes).map((text) => element("p", text, "bad warning")));
}

export function outcome_table(outcomes) {
  return table([["measured, on average"], ["teacher", "number"], ["embedding", "number"]], outcomes.map((line) => ({
    name: line.words,
    cells: [[line.teacher, "number"], [line.embedding, line.warning ? "number bad" : "number"]],
  })), "Teacher and embedding");
}
