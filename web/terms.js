// The functions that an embedding is made of, each of which can be left out.
import { number } from "./format.js";

export function make_terms(parent, { on_switch }) {
  return {
    // `kept` tells how many of the list are in at this size, `off` which of those were switched off.
    show(terms, kept, off, live) {
      const most = Math.max(...terms.map((term) => term.energy), 1e-300);
      parent.replaceChildren(...terms.map((term, i) => {
        const row = document.createElement("div");
        const inside = i < kept;
        row.className = inside && !off.includes(i) ? "term" : "term left-out";
        const box = document.createElement("input");
        box.type = "checkbox";
        box.id = `term-${i}`;
        box.checked = inside && !off.includes(i);
        box.disabled = !live || !inside;
        box.addEventListener("change", () => on_switch(i, box.checked));
        const label = document.createElement("label");
        label.className = "name";
        label.htmlFor = box.id;
        label.textContent = term.name;
        const share = document.createElement("span");
        share.textContent = term.coefficient === null ? "" : number(term.coefficient);
        const bar = document.createElement("div");
        bar.className = "bar";
        const fill = document.createElement("i");
        fill.style.width = `${Math.max(1, 100 * Math.sqrt(term.energy / most))}%`;
        bar.append(fill);
        row.append(box, label, share, bar);
        return row;
      }));
    },
  };
}
