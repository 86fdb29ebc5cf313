// A certificate in plain words.
import { number, percent, whole } from "./format.js";
import { act_words, level_words, method_words, quantity_words, term_words } from "./words.js";

function element(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

export function promise(certificate) {
  const subject = certificate.about === "action" ? "its actions differ from the teacher's by" : "against its teacher it loses";
  const upper = certificate.upper_percent;
  const most = upper === null || upper === undefined ? `${number(certificate.upper_return)} units of return`
    : upper < 0 ? null : `${percent(upper)} of ${certificate.about === "action" ? "their range" : "the mean return"}`;
  const sure = `with ${number(100 * certificate.confidence)}% confidence`;
  if (most === null) return `Promised ${sure}: it gains at least ${percent(-upper)} of the teacher's mean return.`;
  return `Promised ${sure}: ${subject} at most ${most}.`;
}

function table_of(rows) {
  const box = element("div", undefined, "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Bounds of the certificate");
  const table = element("table"), head = element("tr");
  for (const [title, kind] of [["bound"], ["what it is"], ["rests on"], ["at most", "number"], ["measured", "number"]]) {
    const cell = element("th", title, kind);
    cell.scope = "col";
    head.append(cell);
  }
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr", undefined, row.vacuous ? "vacuous" : undefined);
    const name = element("th", `${row.term}${row.winner ? " (least)" : ""}`);
    name.scope = "row";
    const about = row.about === "return" ? "" : ` About the ${quantity_words(row.about)}.`;
    line.append(name, element("td", term_words(row) + about + (row.vacuous ? " Says nothing that was not known before." : "")),
      element("td", level_words(row.level)), element("td", number(row.value, 4), "number"), element("td", number(row.measured, 4), "number"));
    body.append(line);
  }
  const top = element("thead");
  top.append(head);
  table.append(top, body);
  box.append(table);
  return box;
}

function list_in_details(title, lines) {
  const details = element("details");
  details.append(element("summary", title));
  const list = element("ul");
  list.append(...lines.map((line) => element("li", line)));
  details.append(list);
  return details;
}

// `undefined` is not known yet, null is none.
export function show_certificate(parent, certificate, { stored, k }) {
  parent.replaceChildren();
  if (certificate === undefined) {
    parent.append(element("p", "Measuring...", "note"));
    return;
  }
  if (!certificate) {
    parent.append(element("p", "There is no certificate: 'mercer certify FILE' makes one.", "note"));
    return;
  }
  const where = stored ? `Stored in the file, for all ${whole(k)} terms` : `Measured here for ${whole(k)} terms; not stored in the file`;
  parent.append(element("p", promise(certificate), "promise"));
  if (certificate.verified === false) {
    parent.append(element("p", "Not verified: the file is of version 0.1, which has no digests to check it by.", "bad"));
  }
  parent.append(element("p", `${where}: ${whole(certificate.episodes)} episodes, by ${method_words(certificate.method)}, ` +
    `${act_words(certificate.act)}. Numbers of the table are in units of return.`, "note"));
  if (certificate.budget_percent !== null && certificate.budget_percent !== undefined) {
    parent.append(element("p", `Allowed: ${percent(certificate.budget_percent)}. ${certificate.met ? "Kept." : "Not kept."}`, certificate.met ? "good" : "bad"));
  }
  const first = certificate.rows.filter((row) => row.level === "statistical" || row.winner || (row.term === "model-exact" && row.about === "return_in_model"));
  const others = certificate.rows.filter((row) => !first.includes(row));
  parent.append(table_of(first));
  if (others.length > 0) {
    const details = element("details");
    details.append(element("summary", `${whole(others.length)} more bounds`), table_of(others));
    parent.append(details);
  }
  const assumptions = [...new Set(certificate.rows.flatMap((row) => row.assumptions))];
  if (assumptions.length > 0) parent.append(list_in_details("What it rests on", assumptions));
  if (certificate.not_covered.length > 0) parent.append(list_in_details("What it says nothing about", certificate.not_covered));
}
