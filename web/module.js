// Plays the exported ES module ('mercer export js'), as it is: in a worker of its own, which sees neither the page nor its
// token and ends when it has answered. It acts at observations of the episode on show, and its actions are compared with
// the embedding's.
import { $ } from "./dom.js";
import { whole } from "./format.js";

const patience = 20000;  // milliseconds

const answering = "\nself.onmessage = ({ data }) => self.postMessage({ failed: selftest(), actions: data.map((obs) => act(obs)) });\n";

export const split = (list, width) => Array.from({ length: list.length / width }, (_, i) => list.slice(i * width, (i + 1) * width));

export function run_module(text, observations) {
  // A page from disk may not start a module from a blob. This address has no origin, either: it can ask no server.
  const worker = new Worker(`data:text/javascript;charset=utf-8,${encodeURIComponent(text + answering)}`, { type: "module" });
  return new Promise((done, fail) => {
    setTimeout(() => fail(new Error("it did not answer in time")), patience);
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => fail(new Error(event.message || "this browser runs no module in a worker"));
    worker.postMessage(observations);
  }).finally(() => worker.terminate());
}

// The largest difference as a share of an action's range (of its largest value where it has none); of discrete actions the
// number of states where another one is chosen.
export function difference(given, wanted, { axes, count }) {
  if (count > 0) return given.filter((action, i) => action !== wanted[i][0]).length;
  const width = axes.map(({ low, high }, d) =>
    (low === null || high === null ? Math.max(1, ...wanted.map((action) => Math.abs(action[d]))) : high - low));
  return Math.max(...given.map((action, i) => Math.max(...action.map((value, d) => Math.abs(value - wanted[i][d]) / width[d]))));
}

export function module_words(failed, far, steps, { count }) {
  const ran = "The exported JavaScript, run in this browser, passes its self-test", all = `${whole(steps)} steps of this episode`;
  if (failed !== 0) return `The exported JavaScript fails its self-test in this browser: case ${whole(failed)}.`;
  if (count > 0 && far === 0) return `${ran} and chooses the embedding's action at ${all}.`;
  if (count > 0) return `${ran} and chooses another action than the embedding at ${whole(far)} of ${all}.`;
  const amount = far === 0 ? "equal the embedding's" : `differ from the embedding's by up to ${(100 * far).toExponential(1)}% of their range`;
  return `${ran}; its actions ${amount} at ${all} (circles).`;
}

export function make_module(page, { on_actions }) {
  let text = null, why = "", cases = null, latest = 0;

  function tell(words, failed = false) {
    $("module-text").textContent = words;
    $("module-text").classList.toggle("bad", failed);
  }

  // Code and episode come in any order; only the newest pair counts.
  async function play() {
    const ticket = ++latest;
    on_actions(null);
    if (!cases || text === null) return tell(cases ? why : "");
    const { contract, action } = page.subject;
    const observations = split(cases.observations, contract.observation.axes.length);
    const wanted = split(cases.actions, cases.actions.length / observations.length);
    try {
      const { failed, actions } = await run_module(text, observations);
      if (ticket !== latest) return;
      const far = difference(actions, wanted, action);
      tell(module_words(failed, far, actions.length, action), failed !== 0);
      on_actions({ every: cases.every, actions: actions.map((one) => [one].flat()) });
    } catch (trouble) {
      if (ticket === latest) tell(`The exported JavaScript could not be run: ${trouble.message}.`, true);
    }
  }

  return {
    set_code(exported) {
      text = exported.module ?? null;
      why = exported.why_no_module ?? "";
      return play();
    },
    set_episode(answer) {
      cases = answer.module ?? null;
      return play();
    },
  };
}
