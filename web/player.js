// Teacher and embedding from the same start: moving where the task can be drawn, as traces always.
import { draw_figure, figure_size, figure_words, make_camera, unpack_figure } from "./figure.js";
import { number, plain } from "./format.js";
import { make_figure } from "./plot.js";
import { can_draw, draw_scene, scene_size } from "./scene.js";
import { make_traces } from "./traces.js";

const who = { teacher: "var(--teacher)", embedding: "var(--student)" };

function state_at(episode, names, step) {
  const d = names.length;
  return Object.fromEntries(names.map((name, i) => [name, episode.states[step * d + i]]));
}

function action_at(episode, dimensions, step) {
  return episode.actions.slice(step * dimensions, (step + 1) * dimensions);
}

export function make_player(page) {
  const { scenes, scrub, text, play_button } = page;
  const traces = make_traces(page.action_trace, page.traces, who, { on_seek: (to) => episodes && (stop(), go(to)) });
  let episodes = null, task = null, drawn = [], step = 0, clock = null, stride = 1;
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
    // Steps that are shorter than a picture of the screen are taken several at once.
    const due = (task.dt || 0.04) * 1000 * stride, several = Math.max(1, Math.round(16 / due));
    const pause = Math.max(16, Math.min(100, due * several));
    clock = setInterval(() => (step >= length() - 1 ? stop() : go(step + several)), pause);
  }

  function go(to) {
    step = Math.max(0, Math.min(length() - 1, to));
    scrub.value = step;
    text.textContent = `step ${step * stride} of ${(length() - 1) * stride}`;
    for (const { one, draw, caption } of drawn) {
      const at = Math.min(step, last(one));
      draw(at);
      const sum = episodes[one].so_far[at];
      caption.textContent = `${plain(one)}: return so far ${number(sum, 4)}${step > last(one) ? " (ended)" : ""}`;
    }
    traces.mark(step);
    page.on_step(step);
  }

  // How each of the two is drawn, and how large; null where it cannot be.
  function make_drawings() {
    if (present().every((one) => episodes[one].figure)) {
      const figures = Object.fromEntries(present().map((one) => [one, unpack_figure(episodes[one].figure)]));
      const cameras = figures.embedding.views.map((view) => make_camera(Object.values(figures), view));
      return (one) => ({
        ...figure_size(figures[one]),
        draw: (svg, at) => {
          draw_figure(svg, cameras, figures[one], at, who[one]);
          svg.attr("aria-label", `${plain(one)} playing ${plain(task.name)}: ${figure_words(figures[one], at)}`);
        },
      });
    }
    if (!can_draw(task.name)) return null;
    const names = task.state.map((axis) => axis.name);
    return (one) => ({
      ...scene_size,
      draw: (svg, at) => {
        draw_scene(svg, task.name, state_at(episodes[one], names, at), action_at(episodes[one], task.action.length, at), who[one], task.actions > 0);
        svg.attr("aria-label", `${plain(one)} playing ${plain(task.name)}`);
      },
    });
  }

  function make_scenes() {
    scenes.replaceChildren();
    drawn = [];
    const drawing_of = make_drawings();
    if (!drawing_of) return;
    drawn = present().map((one) => {
      const { width, height, draw } = drawing_of(one);
      scenes.classList.toggle("wide", width > scene_size.width);
      const table = () => {
        const names = task.state.map((axis) => axis.name);
        const actions = task.action.map((axis) => axis.name);
        return {
          columns: ["step", ...names, ...actions, "reward_so_far"],
          rows: episodes[one].rewards.map((_, t) => [t * stride, ...Object.values(state_at(episodes[one], names, t)), ...action_at(episodes[one], actions.length, t), episodes[one].so_far[t]]),
        };
      };
      const made = make_figure(scenes, { title: `episode of ${plain(one)}`, name: `mercer-episode-${one}`, width, height, table });
      return { one, draw: (at) => draw(made.svg, at), caption: made.words };
    });
  }

  play_button.addEventListener("click", () => episodes && (clock ? stop() : start()));
  scrub.addEventListener("input", () => episodes && (stop(), go(Number(scrub.value))));
  page.back.addEventListener("click", () => episodes && (stop(), go(step - 1)));
  page.on.addEventListener("click", () => episodes && (stop(), go(step + 1)));

  return {
    go: (to) => episodes && (stop(), go(to)),
    show_module: (acted) => traces.show_module(acted),
    show_action(output) {
      if (!episodes) return;
      traces.show_action(output);
      traces.mark(step);
    },
    show(answer, of_task) {
      const was_playing = clock !== null;
      stop();
      episodes = answer;
      task = of_task;
      stride = answer.stride ?? 1;
      for (const one of present()) episodes[one].so_far = [...d3.cumsum?.(episodes[one].rewards) ?? cumulate(episodes[one].rewards)];
      scrub.max = length() - 1;
      make_scenes();
      traces.show(Object.fromEntries(present().map((one) => [one, episodes[one]])), task, stride);
      go(0);
      if (was_playing) start();
    },
  };
}

function cumulate(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}
