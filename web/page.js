// The page as a whole: what the reader chooses goes into the store, and each part redraws when its share changes.
import { make_code } from "./code.js";
import { $, busy, radio, settle, show_trouble } from "./dom.js";
import { make_episode } from "./episode.js";
import { whole } from "./format.js";
import { make_front } from "./front.js";
import { front_points } from "./front_points.js";
import { make_measurement } from "./measurement.js";
import { make_module } from "./module.js";
import { make_policy } from "./policy.js";
import { size_text } from "./size.js";
import { Superseded } from "./source.js";
import { make_store } from "./store.js";
import { make_terms } from "./terms.js";
import { contract_words } from "./words.js";

const wait = { measure: 250, code: 400, play: 120 };

// What is lost is in the answers below, once.
function summary({ name, payload_bytes, teacher, task }) {
  const parts = [`${name}: ${whole(payload_bytes)} bytes replace ${teacher.name} in ${task}.`];
  if (teacher.missing) parts.push(teacher.missing);
  return parts.join(" ");
}

// As many episodes as are measured in a moment.
function choose_episodes(most) {
  const counts = [...$("episodes").options].map((option) => Number(option.value));
  $("episodes").value = String(Math.max(counts[0], ...counts.filter((count) => count <= most)));
}

export class Page {
  constructor(source, view) {
    this.source = source;
    this.view = view;
    this.subject = null;
    this.store = make_store({
      subject: -1, place: 0, unit: "k", off: [], x: 0, y: 1, output: 0, fixed: [], visits: true, look: "map",
      zoom: false, beside: -1, start: null, another: 0, file: "source",
    });
    this.policy = make_policy(this);
    this.terms = make_terms($("terms"), { on_switch: (term, on) => this.switch_term(term, on) });
    this.episode = make_episode(this, {
      on_start: (start, episodes) => this.policy.set_episode(start, episodes),
      on_step: (step) => this.policy.set_step(step),
    });
    this.front = make_front($("front-plot"), { on_pick: (pick) => this.go_to(pick) });
    this.measurement = make_measurement(this, { on_measured: () => this.show_front() });
    this.code = make_code(this);
    this.module = make_module(this, { on_actions: (acted) => this.episode.show_module(acted) });
    this.later_measure = settle(source.live ? wait.measure : 0, () => this.measurement.measure());
    this.later_code = settle(source.live ? wait.code : 0, () => this.code.show());
    this.later_play = settle(source.live ? wait.play : 0, () => this.episode.play());
    this.listen();
  }

  // The entry of an embedding in the list of all.
  entry(id = this.store.get().subject) {
    return this.view.subjects.find((one) => one.id === id);
  }

  // What an answer depends on besides its own settings.
  question(extra = {}) {
    const { place, off } = this.store.get();
    return { subject: this.subject.id, k: this.subject.sizes[place].k, off, ...extra };
  }

  // Trouble is told once, and an answer that nobody waits for any more is no trouble.
  async ask(work) {
    busy(1);
    try {
      await work();
      $("trouble").hidden = true;
    } catch (trouble) {
      if (!(trouble instanceof Superseded)) show_trouble(trouble);
    } finally {
      busy(-1);
    }
  }

  listen() {
    const { store } = this;
    $("subject").addEventListener("change", (event) => store.set({ subject: Number(event.target.value) }));
    $("k").addEventListener("input", (event) => store.set({ place: Number(event.target.value), off: [] }));
    radio("unit", (unit) => store.set({ unit }));
    radio("look", (look) => store.set({ look }));
    radio("file", (file) => store.set({ file }));
    $("output").addEventListener("change", (event) => store.set({ output: Number(event.target.value) }));
    $("visits").addEventListener("change", (event) => store.set({ visits: event.target.checked }));
    $("zoom").addEventListener("change", (event) => store.set({ zoom: event.target.checked }));
    $("beside").addEventListener("change", (event) => store.set({ beside: Number(event.target.value) }));
    $("terms-all").addEventListener("click", () => store.set({ off: [] }));
    $("new-start").addEventListener("click", () => store.set({ start: null, another: store.get().another + 1 }));
    $("measure").addEventListener("click", () => this.measurement.measure());
    $("cancel").addEventListener("click", () => this.measurement.cancel());

    store.on(["subject"], () => this.ask(() => this.open_subject()));
    store.on(["place", "unit"], () => this.show_size());
    store.on(["place", "off"], () => this.size_changed());
    store.on(["look", "x", "y", "output", "fixed", "zoom", "beside"], () => this.policy.show());
    store.on(["output"], () => this.episode.show_action());
    store.on(["visits"], () => this.policy.redraw());
    store.on(["start", "another"], () => { this.policy.redraw(); this.later_play(); });
    store.on(["file"], () => this.code.write());
  }

  size_changed() {
    const { place, off } = this.store.get();
    this.show_terms();
    if (place >= 0) this.measurement.show_promise(this.subject.sizes[place].k);
    $("terms-all").disabled = off.length === 0;
    this.policy.show();
    this.later_measure();
    this.later_play();
    this.later_code();
    this.show_front();
  }

  async open_subject() {
    const id = this.store.get().subject;
    this.store.set({ place: -1 });
    const next = await this.source.subject(id);
    if (this.store.get().subject !== id) return;
    if (this.subject?.episodes !== next.episodes) choose_episodes(next.episodes);
    this.subject = next;
    const { subject } = this;
    $("subject").value = String(id);
    $("summary").textContent = summary(subject);
    $("contract").textContent = contract_words(subject.contract);
    $("formula").replaceChildren(...subject.formulas.map((line) => Object.assign(document.createElement("code"), { textContent: line })));
    $("k").max = subject.sizes.length - 1;
    $("k").disabled = subject.sizes.length < 2;
    this.policy.offer_axes();
    $("new-start").disabled = !subject.playable;
    const [x, y] = subject.default_axes;
    this.measurement.forget();
    const place = subject.sizes.length - 1;
    this.store.set({ x, y, output: 0, fixed: [...subject.typical], start: null, another: 0, beside: -1, look: "map" });
    this.policy.set_controls();
    this.store.set({ place, off: [] });
    $("k").value = place;
  }

  show_size() {
    const { place, unit } = this.store.get();
    if (place < 0) return;
    $("k-text").textContent = size_text(this.subject, place, unit);
    $("k").setAttribute("aria-valuetext", `${size_text(this.subject, place, unit)} ${unit === "k" ? "terms" : ""}`);
  }

  show_terms() {
    const { place, off } = this.store.get();
    if (place < 0) return;
    this.terms.show(this.subject.terms, this.subject.sizes[place].terms, off, this.source.live && this.subject.can_switch);
    $("terms-note").textContent = this.subject.terms_note + (this.source.live ? "" : " Switching single ones needs 'mercer serve'.");
    $("terms-all").hidden = !this.source.live;
  }

  show_front() {
    if (!this.subject) return;
    this.front.show(front_points(this, this.measurement.latest()), (point) => Boolean(point.now));
    $("front-note").textContent = `Filled points: no smaller candidate loses less. Squares: alternatives to Mercer. Losses are measured; the promise is the certificate's. ${this.view.front.note}`;
  }

  go_to({ subject, k }) {
    if (subject !== this.store.get().subject) this.store.set({ subject });
    else if (k !== undefined) {
      const place = this.subject.sizes.findIndex((size) => size.k === k);
      $("k").value = place;
      this.store.set({ place, off: [] });
    }
  }

  switch_term(term, on) {
    const { off } = this.store.get();
    this.store.set({ off: on ? off.filter((one) => one !== term) : [...off, term].sort((a, b) => a - b) });
  }
}
