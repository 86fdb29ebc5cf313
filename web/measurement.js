// What the embedding loses: measured again whenever it changes, with the certificate below.
import { show_certificate } from "./certificate.js";
import { $ } from "./dom.js";
import { whole } from "./format.js";
import { show_warnings } from "./outcomes.js";
import { tiles } from "./size.js";
import { show_verdicts } from "./verdicts.js";

export function make_measurement(page, { on_measured }) {
  let latest = null;
  let facts = "";

  function say(doing = "") {
    $("measured-on").textContent = facts + doing;
  }

  // Measurements promise nothing: the promise is the certificate in the file.
  function show_promise(k) {
    const { off } = page.store.get();
    show_certificate($("certificate-body"), page.subject.certificate, { shown: k - off.length, whole_k: page.subject.k });
  }

  function show() {
    $("tiles").replaceChildren(...tiles(latest, page.subject));
    show_verdicts(latest.verdicts);
    $("warnings").replaceChildren();
    if (latest.outcomes) show_warnings($("warnings"), latest.outcomes);
    facts = latest.episodes > 0 ? `Measured on ${whole(latest.episodes)} paired episodes that nothing else used: a check, and no promise.` : (latest.why ?? "");
    say();
    show_promise(latest.k);
    on_measured();
  }

  async function measure() {
    const { source } = page;
    if (page.store.get().place < 0) return;
    for (const id of ["tiles", "verdicts"]) $(id).classList.toggle("stale", Boolean(latest));
    $("cancel").hidden = !source.live;
    facts = "";
    say(source.live ? "Measuring..." : "");
    try {
      latest = await source.evaluate(page.question({ episodes: Number($("episodes").value) }));
      show();
    } finally {
      $("cancel").hidden = true;
      for (const id of ["tiles", "verdicts"]) $(id).classList.remove("stale");
      say();
    }
  }

  return {
    show_promise,
    latest: () => latest,
    forget: () => { latest = null; },
    measure: () => page.ask(measure),
    cancel() {
      page.source.cancel("evaluate");
      facts = "Cancelled: the figures are those of the last measurement.";
      say();
    },
  };
}
