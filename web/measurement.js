// What the embedding loses: measured again whenever it changes, with the certificate below.
import { show_certificate } from "./certificate.js";
import { $ } from "./dom.js";
import { whole } from "./format.js";
import { tiles } from "./size.js";

export function make_measurement(page, { on_measured }) {
  let latest = null;
  let facts = "";

  function say(doing = "") {
    $("measured-on").textContent = facts + doing;
  }

  // The certificate of the file where all of it is shown, otherwise what was measured here.
  function show_promise(k, measured) {
    const whole_one = k === page.subject.k && page.store.get().off.length === 0;
    const stored = whole_one && page.subject.certificate;
    show_certificate($("certificate-body"), stored ? page.subject.certificate : measured, { stored: Boolean(stored), k });
  }

  function show() {
    $("tiles").replaceChildren(...tiles(latest, page.subject));
    const { certificate } = latest;
    facts = certificate ? `Measured on ${whole(certificate.episodes)} paired episodes.` : (latest.why ?? "");
    say();
    if (latest.all_bounds || !certificate) show_promise(latest.k, certificate);
    on_measured();
  }

  // The figures first, then every bound: some take a finite model of the task, and nobody should wait for those.
  async function measure() {
    const { source } = page;
    if (page.store.get().place < 0) return;
    if (latest) $("tiles").classList.add("stale");
    $("cancel").hidden = !source.live;
    facts = "";
    say(source.live ? "Measuring..." : "");
    const question = page.question({ episodes: Number($("episodes").value) });
    try {
      if (source.live) {
        latest = await source.evaluate({ ...question, bounds: "none" });
        show();
        $("tiles").classList.remove("stale");
        say(" Working out the bounds...");
      }
      latest = await source.evaluate(question);
      show();
    } finally {
      $("cancel").hidden = true;
      $("tiles").classList.remove("stale");
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
