// Elements and tables of text.

export function element(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

// Rows are { name, cells: [[text, kind]], kind }.
export function table(titles, rows, label) {
  const box = element("div", undefined, "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  const made = element("table"), head = element("tr"), top = element("thead"), body = element("tbody");
  for (const [title, kind] of titles) {
    const cell = element("th", title, kind);
    cell.scope = "col";
    head.append(cell);
  }
  for (const row of rows) {
    const line = element("tr", undefined, row.kind), name = element("th", row.name);
    name.scope = "row";
    line.append(name, ...row.cells.map(([text, kind]) => element("td", text, kind)));
    body.append(line);
  }
  top.append(head);
  made.append(top, body);
  box.append(made);
  return box;
}
