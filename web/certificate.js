// A certificate in plain words.
import { number, number_up, percent, percent_up, whole } from "./format.js";
import { show_grid } from "./grid.js";
import { outcome_table, show_warnings } from "./outcomes.js";
import { element, table } from "./tables.js";
import { level_words, quantity_words, term_words } from "./words.js";

function table_of(rows) {
  return table([["bound"], ["what it is"], ["level"], ["at most", "number"], ["measured", "number"]], rows.map((row) => {
    const about = row.about === "return" ? "" : ` About the ${quantity_words(row.about)}.`;
    return {
      name: `${row.term}${row.winner ? " (least)" : ""}`,
      kind: row.vacuous ? "vacuous" : undefined,
      cells: [[term_words(row) + about + (row.vacuous ? " Says nothing that was not known before." : "")], [level_words(row.level, row.about)],
        [number_up(row.value), "number"], [number(row.measured, 4), "number"]],
    };
  }), "Bounds of the certificate");
}

function list_in_details(title, lines) {
  const details = element("details");
  details.append(element("summary", title));
  const list = element("ul");
  list.append(...lines.map((line) => element("li", line)));
  details.append(list);
  return details;
}

// A bound in the digits of its sentence.
const as_promised = [(value) => number_up(value, 6), (value) => percent_up(value, 4)];

function promises_of(promises) {
  const cell = (promise, value, [plain, share] = [number, percent]) => {
    if (value === null) return "";
    if (promise.about === "return") return plain(value);
    return share(promise.about === "return_percent" || promise.about === "action" ? value : 100 * value);
  };
  return table([["promised together"], ["teacher", "number"], ["embedding", "number"], ["measured", "number"], ["at most", "number"], ["allowed", "number"], ["limit"]],
    promises.map((promise) => ({
      name: promise.words,
      cells: [promise.teacher, promise.embedding, promise.measured].map((value) => [cell(promise, value), "number"])
        .concat([[promise.upper === null ? "none" : cell(promise, promise.upper, as_promised), "number"], [promise.budget === null ? "" : cell(promise, promise.budget), "number"],
          promise.budget === null ? [""] : promise.kept ? ["kept", "good"] : ["not kept", "bad"]]),
    })), "What the certificate promises");
}

// Shares of episodes with their band, of both policies. Bands are rounded outwards.
function show_distribution(parent, distribution) {
  if (!distribution) return;
  const low = (value) => percent(Math.floor(1e4 * Math.max(0, value - distribution.band)) / 100);
  const high = (value) => percent_up(100 * Math.min(1, value + distribution.band));
  const share = (value) => [`${percent(100 * value)} (${low(value)} to ${high(value)})`, "number"];
  const words = `Share of episodes whose return is at most the value in the first column. With ${percent(100 * distribution.confidence)} confidence the shares of both policies lie in these ranges, all together.`;
  parent.append(element("p", words, "note"), table([["return at most"], ["teacher", "number"], ["embedding", "number"]],
    distribution.returns.map((value, i) => ({ name: String(value), cells: [share(distribution.teacher[i]), share(distribution.embedding[i])] })), "Distribution of returns"));
}

// The promise is about the embedding in the file. A part of it that is on show has none.
export function show_certificate(parent, certificate, { shown, whole_k }) {
  parent.replaceChildren();
  if (!certificate) {
    parent.append(element("p", "There is no certificate: 'mercer certify FILE' makes one.", "note"));
    return;
  }
  if (shown !== whole_k) {
    parent.append(element("p", `The certificate is about all ${whole(whole_k)} terms. The ${whole(shown)} that are shown have none.`, "note"));
    return;
  }
  if (certificate.verified === false) {
    parent.append(element("p", "Not verified: the file is of version 0.1, which has no digests to check it by.", "bad"));
  }
  for (const [i, sentence] of certificate.sentences.entries()) parent.append(element("p", sentence, i === 0 ? "promise" : "note"));
  show_warnings(parent, certificate.outcomes);
  if (certificate.promises.some((promise) => promise.budget !== null) || certificate.budget_percent !== null || certificate.budget_return !== null) {
    parent.append(element("p", `Limits: ${certificate.met ? "kept" : "not kept"}.`, certificate.met ? "good" : "bad"));
  }
  if (certificate.promises.length > 0) parent.append(promises_of(certificate.promises));
  if (certificate.outcomes.length > 1) parent.append(outcome_table(certificate.outcomes));
  show_distribution(parent, certificate.distribution);
  show_grid(parent, certificate.grid);
  const first = certificate.rows.filter((row) => row.level === "statistical" || row.level === "estimate" || row.winner);
  const others = certificate.rows.filter((row) => !first.includes(row));
  if (first.length > 0) parent.append(table_of(first));
  if (others.length > 0) {
    const details = element("details");
    details.append(element("summary", `${whole(others.length)} more bounds`), table_of(others));
    parent.append(details);
  }
  const assumptions = [...new Set(certificate.rows.flatMap((row) => row.assumptions))];
  if (assumptions.length > 0) parent.append(list_in_details("What it rests on", assumptions));
  if (certificate.not_covered.length > 0) parent.append(list_in_details("Not covered", certificate.not_covered));
}
