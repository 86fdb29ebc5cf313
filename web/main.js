// Opens the page: answers come from the server, or from the report that carries it.
import { $, choices, show_trouble } from "./dom.js";
import { whole } from "./format.js";
import { Page } from "./page.js";
import { FileSource, LiveSource } from "./source.js";
import { start_theme } from "./theme.js";

function open_source() {
  const carried = $("view");
  if (carried) return new FileSource(JSON.parse(carried.textContent));
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  return new LiveSource("", token);
}

async function start() {
  start_theme($("theme"));
  const source = open_source();
  $("mode").textContent = source.live ? "live" : "report";
  $("mode").title = source.live ? "Answers are computed by the server" : "Answers stand in this file";
  if (!source.live) {
    for (const id of ["measure", "episodes"]) {
      $(id).disabled = true;
      $(id).title = "Needs 'mercer serve'";
    }
    $("measure").textContent = "Measure again (needs mercer serve)";
  }
  try {
    const view = await source.view();
    document.title = `Mercer: ${view.title}`;
    $("made").textContent = view.made;
    choices($("subject"), view.subjects.map((one) => [one.id, `${one.name} - ${whole(one.payload_bytes)} bytes${one.certified ? "" : ", no certificate"}`]));
    const page = new Page(source, view);
    page.store.set({ subject: view.chosen });
  } catch (trouble) {
    show_trouble(trouble);
  }
}

start();
