// Where answers come from: a server that computes them, or the answers that a report carries with it. Both know the same
// questions: view, subject, evaluate, slice, polar, play, code.

export class Superseded extends Error {}

export class LiveSource {
  constructor(base = "", token = "") {
    this.live = true;
    this.base = base;
    this.token = token;
    this.under_way = new Map();
    this.count = 0;
    this.page = Math.random().toString(36).slice(2, 10);
  }

  headers() {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }

  async answer(response) {
    const document = await response.json().catch(() => null);
    if (response.ok && document !== null) return document;
    throw new Error(document?.error ?? `The server answered ${response.status}.`);
  }

  async get(path) {
    return this.answer(await fetch(this.base + path, { headers: this.headers() }));
  }

  // Only the newest question of a kind matters: an older one is cancelled, here and on the server.
  async ask(path, question, kind = path) {
    this.cancel(kind);
    const work = `${this.page}-${++this.count}`;
    const stop = new AbortController();
    this.under_way.set(kind, { work, stop });
    try {
      const response = await fetch(`${this.base}/api/${path}`, {
        method: "POST",
        headers: { ...this.headers(), "Content-Type": "application/json" },
        body: JSON.stringify({ ...question, work }),
        signal: stop.signal,
      });
      return await this.answer(response);
    } catch (trouble) {
      if (stop.signal.aborted) throw new Superseded(kind);
      if (trouble instanceof TypeError) throw new Error("The server does not answer: is 'mercer serve' still running?");
      throw trouble;
    } finally {
      if (this.under_way.get(kind)?.work === work) this.under_way.delete(kind);
    }
  }

  cancel(kind) {
    const former = this.under_way.get(kind);
    if (!former) return;
    this.under_way.delete(kind);
    former.stop.abort();
    fetch(`${this.base}/api/jobs/${former.work}`, { method: "DELETE", headers: this.headers() }).catch(() => {});
  }

  // What is computed when it is asked for has no limits.
  places() { return null; }
  held() { return null; }
  view() { return this.get("/api/view"); }
  subject(id) { return this.get(`/api/subject/${id}`); }
  evaluate(question) { return this.ask("evaluate", question); }
  slice(question) { return this.ask("slice", question); }
  slice_beside(question) { return this.ask("slice", question, "beside"); }
  polar(question) { return this.ask("polar", question); }
  play(question) { return this.ask("play", question); }
  code(question) { return this.ask("code", question); }
}

const nearest = (values, wanted) =>
  values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);

// The key of a stored slice: its axes, its action, the place of each other axis among the stored ones, and a z where it is
// zoomed to visited states.
export function slice_key(positions, x, y, output, fixed, zoom = false) {
  const places = positions.map((values, d) => (d === x || d === y ? "-" : nearest(values, fixed[d])));
  return `${x},${y},${output}:${places.join(".")}${zoom ? "z" : ""}`;
}

export class FileSource {
  constructor(document) {
    this.live = false;
    this.document = document;
  }

  // Long lists of numbers stand once in the file and are referred to by their place.
  unpack(value) {
    if (Array.isArray(value)) return value.map((one) => this.unpack(one));
    if (value === null || typeof value !== "object") return value;
    if (Object.hasOwn(value, "array")) return this.document.arrays[value.array];
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.unpack(one)]));
  }

  stored(id, kind, key) {
    const found = this.document.answers[id]?.[kind]?.[key];
    if (found === undefined) throw new Error("The report does not hold this; 'mercer serve' computes it.");
    return this.unpack(found);
  }

  // Where slices hold an axis that they do not run along.
  places(id, axis) { return this.document.answers[id].positions[axis]; }

  // Axes and actions of which there are slices.
  held(id) {
    const keys = Object.keys(this.document.answers[id].slice).map((key) => key.split(":")[0].split(",").map(Number));
    return { axes: new Set(keys.flatMap(([x, y]) => [x, y])), outputs: new Set(keys.map(([, , output]) => output)) };
  }

  cancel() {}
  async view() { return this.document.view; }
  async subject(id) { return this.unpack(this.document.subjects[id]); }
  async evaluate({ subject, k }) { return this.stored(subject, "evaluate", k); }
  async polar({ subject, k }) { return this.stored(subject, "polar", k); }
  async code({ subject, k }) { return this.stored(subject, "code", k); }

  async slice({ subject, k, x, y, output, fixed, zoom, plane }) {
    const flipped = !plane && x > y;
    const { positions } = this.document.answers[subject];
    const key = () => (flipped ? slice_key(positions, y, x, output, fixed, zoom) : slice_key(positions, x, y, output, fixed, zoom));
    const found = plane ? this.stored(subject, "plane", output) : this.stored(subject, "slice", key());
    const answer = { ...found, embedding: found.embedding[k] };
    if (answer.embedding === undefined) throw new Error("The report does not hold this size.");
    return flipped ? transpose(answer) : answer;
  }

  slice_beside(question) { return this.slice(question); }

  async play({ subject, k, start, another }) {
    const { starts } = this.document.answers[subject];
    if (starts.length === 0) throw new Error("The report holds no episodes: the task could not be played.");
    const { window } = this.document.subjects[subject];
    let place = (another ?? 0) % starts.length;
    if (start) {
      const far = starts.map((one) => one.reduce((sum, value, d) => sum + ((value - start[d]) / (window[d][1] - window[d][0])) ** 2, 0));
      place = far.indexOf(Math.min(...far));
    }
    const teacher = this.document.answers[subject].teacher_play;
    const answer = this.stored(subject, "play", `${k}:${place}`);
    return { ...answer, teacher: teacher ? this.unpack(teacher[place]) : null, snapped: Boolean(start) };
  }
}

function transpose(answer) {
  const { n } = answer;
  const turn = (grid) => grid && Array.from({ length: n * n }, (_, i) => grid[(i % n) * n + Math.floor(i / n)]);
  return { ...answer, x: answer.y, y: answer.x, teacher: turn(answer.teacher), embedding: turn(answer.embedding), visits: turn(answer.visits) };
}
