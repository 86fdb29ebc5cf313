// Puts the page together: what the reader chooses goes into the store, and each part redraws when its share changes.
import { show_certificate } from "./certificate.js";
import { loss_text, percent, plain, whole, with_unit } from "./format.js";
import { make_front } from "./front.js";
import { make_heatmaps } from "./heatmap.js";
import { make_player } from "./player.js";
import { make_polar } from "./polar.js";
import { size_text, tiles } from "./size.js";
import { FileSource, LiveSource, Superseded } from "./source.js";
import { make_store } from "./store.js";
import { make_terms } from "./terms.js";
import { start_theme } from "./theme.js";

const $ = (id) => document.getElementById(id);
const grid_of_map = 64;
const wait = { evaluate: 250, code: 400, play: 120 };

function open_source() {
  const carried = $("view");
  if (carried) return new FileSource(JSON.parse(carried.textContent));
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  return new LiveSource("", token);
}

function choices(select, options) {
  select.replaceChildren(...options.map(([value, text]) => {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = text;
    return option;
  }));
}

function radio(name, listener) {
  for (const input of document.querySelectorAll(`input[name="${name}"]`)) {
    input.addEventListener("change", () => input.checked && listener(input.value));
  }
}

// The page is busy while something that it shows is still being worked out.
let under_way = 0;
function busy(change) {
  under_way += change;
  document.querySelector("main").setAttribute("aria-busy", String(under_way > 0));
}

// Runs the newest of a burst of calls.
function settle(milliseconds, work) {
  let timer = 0;
  return () => {
    if (timer === 0) busy(1);
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      work();
      busy(-1);
    }, milliseconds);
  };
}

class Page {
  constructor(source, view) {
    this.source = source;
    this.view = view;
    this.subject = null;
    this.evaluation = null;
    this.store = make_store({
      subject: -1, place: 0, unit: "k", off: [], x: 0, y: 1, output: 0, fixed: [], visits: true, look: "map",
      start: null, another: 0, file: "source",
    });
    const polar_box = document.createElement("div");
    polar_box.className = "panels";
    polar_box.hidden = true;
    $("maps").after(polar_box);
    this.polar_box = polar_box;
    this.maps = make_heatmaps($("maps"), {
      on_pick: (x, y) => this.pick(x, y),
      on_read: (text) => ($("reading").textContent = text),
    });
    this.polar = make_polar(polar_box);
    this.terms = make_terms($("terms"), { on_switch: (term, on) => this.switch_term(term, on) });
    this.player = make_player({
      scenes: $("scenes"), traces: $("traces"), scrub: $("scrub"), text: $("step-text"), play_button: $("play"),
      back: $("step-back"), on: $("step-on"),
    });
    this.front = make_front($("front-plot"), { on_pick: (pick) => this.go_to(pick) });
    this.later_evaluate = settle(source.live ? wait.evaluate : 0, () => this.evaluate());
    this.later_code = settle(source.live ? wait.code : 0, () => this.show_code());
    this.later_play = settle(source.live ? wait.play : 0, () => this.play());
    this.listen();
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
      if (trouble instanceof Superseded) return;
      $("trouble").textContent = trouble.message;
      $("trouble").hidden = false;
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
    $("axis-x").addEventListener("change", (event) => this.set_axes(Number(event.target.value), store.get().y));
    $("axis-y").addEventListener("change", (event) => this.set_axes(store.get().x, Number(event.target.value)));
    $("output").addEventListener("change", (event) => store.set({ output: Number(event.target.value) }));
    $("visits").addEventListener("change", (event) => store.set({ visits: event.target.checked }));
    $("terms-all").addEventListener("click", () => store.set({ off: [] }));
    $("new-start").addEventListener("click", () => store.set({ start: null, another: store.get().another + 1 }));
    $("measure").addEventListener("click", () => this.evaluate());
    $("cancel").addEventListener("click", () => this.cancel_evaluation());
    $("copy").addEventListener("click", () => this.copy());

    store.on(["subject"], () => this.ask(() => this.open_subject()));
    store.on(["place", "unit"], () => this.show_size());
    store.on(["place", "off"], () => this.size_changed());
    store.on(["look", "x", "y", "output", "fixed"], () => this.ask(() => this.show_policy()));
    store.on(["visits"], () => this.redraw_map());
    store.on(["start", "another"], () => { this.redraw_map(); this.later_play(); });
    store.on(["file"], () => this.write_code());
  }

  size_changed() {
    const { off } = this.store.get();
    this.show_terms();
    if (this.store.get().place >= 0) this.show_promise(this.subject.sizes[this.store.get().place].k, undefined);
    $("terms-all").disabled = off.length === 0;
    this.ask(() => this.show_policy());
    this.later_evaluate();
    this.later_play();
    this.later_code();
    this.show_front();
  }

  async open_subject() {
    const id = this.store.get().subject;
    this.store.set({ place: -1 });
    const next = await this.source.subject(id);
    if (this.store.get().subject !== id) return;
    this.subject = next;
    const { subject } = this;
    $("subject").value = String(id);
    $("summary").textContent = this.summary();
    $("formula").replaceChildren(...subject.formulas.map((line) => Object.assign(document.createElement("code"), { textContent: line })));
    $("k").max = subject.sizes.length - 1;
    $("k").disabled = subject.sizes.length < 2;
    const axes = subject.axes.map((axis, d) => [d, plain(axis.name)]);
    choices($("axis-x"), axes);
    choices($("axis-y"), axes);
    choices($("output"), subject.action.axes.map((axis, d) => [d, plain(axis.name)]));
    $("output-box").hidden = subject.action.axes.length < 2;
    $("new-start").disabled = !subject.playable;
    const [x, y] = subject.default_axes;
    this.evaluation = null;
    const place = subject.sizes.length - 1;
    this.store.set({ x, y, output: 0, fixed: [...subject.typical], start: null, another: 0 });
    this.set_axis_controls();
    this.store.set({ place, off: [] });
    $("k").value = place;
  }

  summary() {
    const { subject } = this;
    const parts = [`${subject.name}: ${whole(subject.payload_bytes)} bytes stand in for ${subject.teacher.name} in ${subject.task}.`];
    if (subject.certificate?.loss_percent !== undefined && subject.certificate?.loss_percent !== null && subject.certificate.about === "return") {
      parts.push(`On ${whole(subject.certificate.episodes)} episodes it ${loss_text(subject.certificate.loss_percent)} of the mean return.`);
    }
    if (subject.teacher.missing) parts.push(subject.teacher.missing);
    return parts.join(" ");
  }

  set_axes(x, y) {
    const former = this.store.get();
    if (x === y) {
      // Choosing the other one's axis swaps them.
      if (x === former.x) y = x, x = former.y;
      else y = former.x;
    }
    this.store.set({ x, y });
    this.set_axis_controls();
  }

  set_axis_controls() {
    const { x, y, fixed } = this.store.get();
    $("axis-x").value = String(x);
    $("axis-y").value = String(y);
    $("fixed").replaceChildren(...this.subject.axes.flatMap((axis, d) => (d === x || d === y ? [] : [this.fixed_slider(axis, d, fixed[d])])));
  }

  // Values between which a report holds nothing are not offered.
  fixed_slider(axis, d, value) {
    const stored = this.source.live ? null : this.source.document.answers[this.store.get().subject].positions[d];
    const [low, high] = this.subject.window[d];
    const label = document.createElement("label"), text = document.createElement("span"), input = document.createElement("input");
    text.textContent = with_unit(value, axis);
    input.type = "range";
    Object.assign(input, stored ? { min: 0, max: stored.length - 1, step: 1 } : { min: low, max: high, step: (high - low) / 100 });
    input.value = stored ? stored.findIndex((one) => Math.abs(one - value) === Math.min(...stored.map((o) => Math.abs(o - value)))) : value;
    input.addEventListener("input", () => {
      const fixed = [...this.store.get().fixed];
      fixed[d] = stored ? stored[Number(input.value)] : Number(input.value);
      text.textContent = with_unit(fixed[d], axis);
      this.store.set({ fixed });
    });
    label.append(`${plain(axis.name)} fixed at`, text, input);
    return label;
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

  async show_policy() {
    const { look, x, y, output, fixed, place } = this.store.get();
    if (place < 0) return;
    const map = look === "map";
    $("maps").hidden = !map;
    this.polar_box.hidden = map;
    for (const node of document.querySelectorAll(".map-only")) node.hidden = !map || (node.id === "output-box" && this.subject.action.axes.length < 2);
    if (map) {
      this.slice = await this.source.slice(this.question({ x, y, output, fixed, n: grid_of_map }));
      this.redraw_map();
    } else {
      this.polar.show(await this.source.polar(this.question()));
      $("reading").textContent = "Each ring is a state that the teacher visits, in the order of its mean action; the angle is the action.";
    }
  }

  redraw_map() {
    const { visits, x, y } = this.store.get();
    if (!this.slice) return;
    const start = this.episode_start;
    this.maps.show(this.slice, { visits, start_at: start ? [start[x], start[y]] : null });
  }

  pick(x_value, y_value) {
    if (!this.subject.playable) return;
    const { fixed, x, y } = this.store.get();
    const start = [...fixed];
    start[x] = x_value;
    start[y] = y_value;
    this.store.set({ start });
  }

  // The figures first, then every bound: some take a finite model of the task, and nobody should wait for those.
  async evaluate() {
    await this.ask(async () => {
      if (this.store.get().place < 0) return;
      if (this.evaluation) $("tiles").classList.add("stale");
      $("cancel").hidden = !this.source.live;
      $("measured-on").textContent = this.source.live ? "Measuring..." : "";
      const question = this.question({ episodes: Number($("episodes").value) });
      try {
        if (this.source.live) {
          this.evaluation = await this.source.evaluate({ ...question, bounds: "none" });
          this.show_evaluation();
          $("tiles").classList.remove("stale");
          $("measured-on").textContent += " Working out the bounds...";
        }
        this.evaluation = await this.source.evaluate(question);
        this.show_evaluation();
      } finally {
        $("cancel").hidden = true;
        $("tiles").classList.remove("stale");
        $("measured-on").textContent = $("measured-on").textContent.replace("Measuring...", "").replace(" Working out the bounds...", "");
      }
    });
  }

  cancel_evaluation() {
    this.source.cancel("evaluate");
    $("measured-on").textContent = "Cancelled: the figures are those of the last measurement.";
  }

  show_evaluation() {
    const { evaluation, subject } = this;
    $("tiles").replaceChildren(...tiles(evaluation, subject));
    const { certificate } = evaluation;
    $("measured-on").textContent = certificate ? `Measured on ${whole(certificate.episodes)} paired episodes.` : (evaluation.why ?? "");
    if (evaluation.all_bounds || !certificate) this.show_promise(evaluation.k, certificate);
    this.show_front();
  }

  // The certificate of the file where all of it is shown, otherwise what was measured here.
  show_promise(k, measured) {
    const whole_one = k === this.subject.k && this.store.get().off.length === 0;
    const stored = whole_one && this.subject.certificate;
    show_certificate($("certificate-body"), stored ? this.subject.certificate : measured, { stored: Boolean(stored), k });
  }

  async play() {
    await this.ask(async () => {
      const { start, another, place } = this.store.get();
      if (place < 0) return;
      $("episode").hidden = !this.subject.playable;
      if (!this.subject.playable) return;
      const answer = await this.source.play(this.question({ start, another }));
      this.episode_start = answer.start;
      this.player.show(answer, { name: this.subject.task_kind, state: this.subject.axes, action: this.subject.action.axes, actions: this.subject.action.count, dt: this.subject.dt });
      const where = this.subject.axes.map((axis, d) => `${plain(axis.name)} ${with_unit(answer.start[d], axis)}`).join(", ");
      const returns = ["teacher", "embedding"].filter((one) => answer[one]).map((one) => `${one} ${answer[one].return.toFixed(2)}`).join(", ");
      $("start-text").textContent = `Start: ${where}. Return of this episode: ${returns}.` +
        (answer.snapped ? " The nearest start that the report holds." : "") + " Click the map to start elsewhere.";
      this.redraw_map();
    });
  }

  // The present size of this embedding, other embeddings, and what was tried or could be used instead.
  front_points() {
    const here = ({ task }) => task === this.subject.task;
    const candidates = this.view.front.candidates.filter(here), alternatives = this.view.front.alternatives.filter(here);
    const points = candidates.map((one) => ({
      name: `${plain(one.route)} ${one.basis}, ${one.k} terms${one.format ? `, ${one.format}` : ""}`,
      kind: "embedding", bytes: one.payload_bytes, loss_percent: one.loss_percent, on_front: one.on_front,
      pick: one.subject === null ? undefined : { subject: one.subject },
    }));
    if (this.evaluation?.loss_percent !== undefined && this.evaluation?.loss_percent !== null) {
      points.push({ name: `shown now (${this.evaluation.k} terms)`, kind: "embedding", bytes: this.evaluation.payload_bytes, loss_percent: this.evaluation.loss_percent, on_front: false, now: true });
    }
    for (const size of this.source.live ? [] : this.subject.sizes) {
      if (size.loss_percent !== undefined && size.loss_percent !== null && size.k !== this.subject.k) {
        points.push({ name: `${this.subject.name} cut to ${size.k} terms`, kind: "embedding", bytes: size.payload_bytes, loss_percent: size.loss_percent, on_front: false, pick: { subject: this.store.get().subject, k: size.k } });
      }
    }
    for (const one of alternatives) points.push({ name: one.name, kind: "alternative", bytes: one.bytes, loss_percent: one.loss_percent, on_front: false });
    return points;
  }

  show_front() {
    if (!this.subject) return;
    this.front.show(this.front_points(), (point) => Boolean(point.now));
    $("front-note").textContent = `Filled: none that is smaller loses less. Squares: what could be used instead. ${this.view.front.note}`;
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

  async show_code() {
    await this.ask(async () => {
      if (this.store.get().place < 0) return;
      this.exported = await this.source.code(this.question());
      this.write_code();
    });
  }

  write_code() {
    const { exported } = this;
    if (!exported) return;
    $("copy").disabled = !exported.source;
    $("code-text").firstElementChild.textContent = exported[this.store.get().file] ?? exported.why ?? "";
    $("code-note").textContent = exported.source ? `${whole(exported.flash_bytes)} bytes of tables, ${whole(exported.operations)} operations for one action; no heap, no library but libm.` : "";
  }

  async copy() {
    const text = $("code-text").textContent;
    try {
      await navigator.clipboard.writeText(text);
      $("copy").textContent = "Copied";
    } catch {
      // Pages from disk may not have the clipboard: selecting the text leaves Ctrl-C to the reader.
      getSelection().selectAllChildren($("code-text"));
      $("copy").textContent = "Selected: press Ctrl-C";
    }
    setTimeout(() => ($("copy").textContent = "Copy"), 2500);
  }
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
    choices($("subject"), view.subjects.map((one) => [one.id, `${one.name} - ${whole(one.payload_bytes)} bytes${one.loss_percent === null ? "" : `, loss ${percent(one.loss_percent)}`}`]));
    const page = new Page(source, view);
    globalThis.mercer_page = page;
    page.store.set({ subject: view.chosen });
  } catch (trouble) {
    $("trouble").textContent = trouble.message;
    $("trouble").hidden = false;
  }
}

start();
