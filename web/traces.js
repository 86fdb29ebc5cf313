// The action over the steps of an episode, in full view, and every other action and state when it is asked for. The
// pointer on a plot moves the player.
import { axis_title, plain } from "./format.js";
import { draw_axes, make_figure } from "./plot.js";

const small = { width: 340, height: 150, left: 53, right: 332, top: 6, bottom: 112 };
const large = { width: 520, height: 200, left: 53, right: 512, top: 6, bottom: 162 };

const most_at_once = 12;

const column = (list, width, i) => Array.from({ length: list.length / width }, (_, t) => list[t * width + i]);

// `more` is in a <details>; `who` holds the colour of each policy.
export function make_traces(first, more, who, { on_seek }) {
  const details = more.parentElement;
  let episodes = {}, task = null, stride = 1, now = 0, lines = [], acted = null;
  const length = () => Math.max(...Object.values(episodes).map((one) => one.rewards.length));
  const of_action = (i) => ({ axis: task.action[i], values: (one) => column(one.actions, task.action.length, i) });
  const of_state = (i) => ({ axis: task.state[i], values: (one) => column(one.states, task.state.length, i) });

  function draw(box, { axis, values }, frame) {
    const present = Object.keys(episodes), steps = length();
    const table = () => ({
      columns: ["step", ...present],
      rows: d3.range(steps).map((t) => [t * stride, ...present.map((one) => values(episodes[one])[t])]),
    });
    const { svg } = make_figure(box, { title: plain(axis.name), name: `mercer-trace-${axis.name}`, width: frame.width, height: frame.height, table });
    const [low, high] = d3.extent(present.flatMap((one) => values(episodes[one])));
    const x = d3.scaleLinear([0, Math.max(1, (steps - 1) * stride)], [frame.left, frame.right]);
    const y = d3.scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [frame.bottom, frame.top]).nice(4);
    draw_axes(svg, { x, y, left: frame.left, bottom: frame.bottom, x_title: task.dt ? `step (${task.dt} s each)` : "step", y_title: axis_title(axis), y_ticks: 4 });
    const curve = d3.line().x((_, t) => x(t * stride)).y((value) => y(value));
    for (const one of present) {
      svg.append("path").attr("d", curve(values(episodes[one]))).attr("fill", "none").attr("stroke", who[one])
        .attr("stroke-width", 1.7).attr("stroke-dasharray", one === "teacher" ? "4 3" : null);
    }
    svg.append("line").attr("class", "now").attr("y1", frame.top).attr("y2", frame.bottom).attr("stroke", "var(--soft)");
    svg.attr("aria-label", `${plain(axis.name)} over the steps of the episode: teacher dashed, embedding solid`);
    seek(svg.node(), frame, steps);
    lines.push({ svg, x, y });
  }

  // Circles where the exported module acted.
  function draw_acted() {
    const line = lines.find(({ svg }) => first.contains(svg.node()));
    if (!line) return;
    const { svg, x, y } = line, steps = (length() - 1) * stride;
    const points = acted ? acted.actions.map((action, i) => [i * acted.every, action[task.output]]).filter(([t]) => t <= steps) : [];
    svg.selectAll("circle.module").data(points).join("circle").attr("class", "module").attr("r", 2.4)
      .attr("cx", ([t]) => x(t)).attr("cy", ([, value]) => y(value)).attr("fill", "none").attr("stroke", "var(--ink)");
  }

  function seek(node, frame, steps) {
    const move = (event) => {
      const box = node.getBoundingClientRect();
      const across = (((event.clientX - box.left) * frame.width) / box.width - frame.left) / (frame.right - frame.left);
      if (across >= 0 && across <= 1) on_seek(Math.round(across * (steps - 1)));
    };
    // A finger that scrolls past should not move the player: it taps.
    node.addEventListener("pointermove", (event) => event.pointerType === "mouse" && move(event));
    node.addEventListener("click", move);
  }

  function mark(step) {
    now = step;
    for (const { svg, x } of lines) svg.select("line.now").attr("x1", x(step * stride)).attr("x2", x(step * stride));
  }

  function show_action(output) {
    lines = lines.filter(({ svg }) => !first.contains(svg.node()));
    first.replaceChildren();
    task.output = output;
    draw(first, of_action(output), large);
    draw_acted();
  }

  const rest = () => [...task.action.slice(1).map((_, i) => of_action(i + 1)), ...task.state.map((_, i) => of_state(i))];

  function draw_rest() {
    if (!details.open || more.childElementCount > 0 || !task) return;
    for (const one of rest()) draw(more, one, small);
    mark(now);
  }
  details.addEventListener("toggle", draw_rest);

  return {
    mark,
    show_action,
    show_module(given) {
      acted = given;
      draw_acted();
    },
    show(of_both, of_task, one_frame) {
      [episodes, task, stride, lines, acted] = [of_both, of_task, one_frame, [], null];
      more.replaceChildren();
      show_action(task.output);
      const count = String(rest().length);
      if (details.dataset.count !== count) details.open = rest().length <= most_at_once;
      details.dataset.count = count;
      details.querySelector("summary").textContent = `${count} more traces`;
      draw_rest();
    },
  };
}
