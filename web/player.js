// Teacher and embedding from the same start: moving where the task can be drawn, as traces always.
import { axis_title, number, plain } from "./format.js";
import { draw_axes, make_figure } from "./plot.js";
import { can_draw, draw_scene } from "./scene.js";

const who = { teacher: "var(--teacher)", embedding: "var(--student)" };
const trace = { width: 340, height: 150, left: 53, right: 8, top: 6, bottom: 112 };

function state_at(episode, names, step) {
  const d = names.length;
  return Object.fromEntries(names.map((name, i) => [name, episode.states[step * d + i]]));
}

function action_at(episode, dimensions, step) {
  return episode.actions.slice(step * dimensions, (step + 1) * dimensions);
}

export function make_player(page) {
  const { scenes, traces, scrub, text, play_button } = page;
  let episodes = null, task = null, drawn = [], lines = [], step = 0, clock = null, stride = 1;
  const present = () => ["teacher", "embedding"].filter((one) => episodes[one]);
  const length = () => Math.max(...present().map((one) => episodes[one].rewards.length));
  const last = (one) => episodes[one].rewards.length - 1;

  function stop() {
    clearInterval(clock);
    clock = null;
    play_button.textContent = "Play";
  }

  function start() {
    if (step >= length() - 1) go(0);
    play_button.textContent = "Pause";
    const pause = Math.max(16, Math.min(100, (task.dt || 0.04) * 1000 * stride));
    clock = setInterval(() => (step >= length() - 1 ? stop() : go(step + 1)), pause);
  }

  function go(to) {
    step = Math.max(0, Math.min(length() - 1, to));
    scrub.value = step;
    text.textContent = `step ${step * stride} of ${(length() - 1) * stride}`;
    for (const { one, svg, caption } of drawn) {
      const at = Math.min(step, last(one));
      const names = task.state.map((axis) => axis.name);
      draw_scene(svg, task.name, state_at(episodes[one], names, at), action_at(episodes[one], task.action.length, at), who[one], task.actions > 0);
      const sum = episodes[one].so_far[at];
      caption.textContent = `${plain(one)}: return so far ${number(sum, 4)}${step > last(one) ? " (ended)" : ""}`;
    }
    for (const { svg, x } of lines) svg.select("line.now").attr("x1", x(step * stride)).attr("x2", x(step * stride));
  }

  function make_scenes() {
    scenes.replaceChildren();
    drawn = [];
    if (!can_draw(task.name)) return;
    drawn = present().map((one) => {
      const table = () => {
        const names = task.state.map((axis) => axis.name);
        const actions = task.action.map((axis) => axis.name);
        return {
          columns: ["step", ...names, ...actions, "reward_so_far"],
          rows: episodes[one].rewards.map((_, t) => [t * stride, ...Object.values(state_at(episodes[one], names, t)), ...action_at(episodes[one], actions.length, t), episodes[one].so_far[t]]),
        };
      };
      const made = make_figure(scenes, { title: plain(one), name: `mercer-episode-${one}`, width: 260, height: 200, table });
      made.svg.attr("aria-label", `${plain(one)} playing ${plain(task.name)}`);
      return { one, svg: made.svg, caption: made.words };
    });
  }

  // One small plot for each action and each state.
  function make_traces() {
    const shown = [
      ...task.action.map((axis, i) => ({ axis, values: (one) => one.actions.filter((_, j) => j % task.action.length === i) })),
      ...task.state.map((axis, i) => ({ axis, values: (one) => one.states.filter((_, j) => j % task.state.length === i) })),
    ];
    traces.replaceChildren();
    lines = shown.map(({ axis, values }) => {
      const table = () => ({
        columns: ["step", ...present()],
        rows: d3.range(length()).map((t) => [t * stride, ...present().map((one) => values(episodes[one])[t])]),
      });
      const made = make_figure(traces, { title: plain(axis.name), name: `mercer-trace-${axis.name}`, width: trace.width, height: trace.height, table });
      const all = present().flatMap((one) => values(episodes[one]));
      const [low, high] = d3.extent(all);
      const x = d3.scaleLinear([0, Math.max(1, (length() - 1) * stride)], [trace.left, trace.width - trace.right]);
      const y = d3.scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [trace.bottom, trace.top]).nice(4);
      draw_axes(made.svg, { x, y, left: trace.left, bottom: trace.bottom, x_title: "step", y_title: axis_title(axis), y_ticks: 4 });
      const curve = d3.line().x((_, t) => x(t * stride)).y((value) => y(value));
      for (const one of present()) {
        made.svg.append("path").attr("d", curve(values(episodes[one]))).attr("fill", "none").attr("stroke", who[one])
          .attr("stroke-width", 1.7).attr("stroke-dasharray", one === "teacher" ? "4 3" : null);
      }
      made.svg.append("line").attr("class", "now").attr("y1", trace.top).attr("y2", trace.bottom).attr("stroke", "var(--soft)");
      made.svg.attr("aria-label", `${plain(axis.name)} over the steps of the episode: teacher dashed, embedding solid`);
      return { svg: made.svg, x };
    });
  }

  play_button.addEventListener("click", () => episodes && (clock ? stop() : start()));
  scrub.addEventListener("input", () => episodes && (stop(), go(Number(scrub.value))));
  page.back.addEventListener("click", () => episodes && (stop(), go(step - 1)));
  page.on.addEventListener("click", () => episodes && (stop(), go(step + 1)));

  return {
    show(answer, of_task) {
      const was_playing = clock !== null;
      stop();
      episodes = answer;
      task = of_task;
      stride = answer.stride ?? 1;
      for (const one of present()) episodes[one].so_far = [...d3.cumsum?.(episodes[one].rewards) ?? cumulate(episodes[one].rewards)];
      scrub.max = length() - 1;
      make_scenes();
      make_traces();
      go(0);
      if (was_playing) start();
    },
  };
}

function cumulate(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}
