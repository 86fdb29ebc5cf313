// One small plot for each action and each state over the steps of an episode; of many, most are drawn when they are asked
// for.
import { axis_title, plain } from "./format.js";
import { draw_axes, make_figure } from "./plot.js";

const frame = { width: 340, height: 150, left: 53, right: 8, top: 6, bottom: 112 };
const most_at_once = 12;

const column = (list, width, i) => Array.from({ length: list.length / width }, (_, t) => list[t * width + i]);

// `more` stands in a <details>; `who` holds the colour of each policy.
export function make_traces(parent, more, who) {
  const details = more.parentElement;
  let episodes = {}, stride = 1, now = 0, lines = [], rest = [];

  function draw(box, { axis, values }) {
    const present = Object.keys(episodes), length = Math.max(...present.map((one) => episodes[one].rewards.length));
    const table = () => ({
      columns: ["step", ...present],
      rows: d3.range(length).map((t) => [t * stride, ...present.map((one) => values(episodes[one])[t])]),
    });
    const made = make_figure(box, { title: plain(axis.name), name: `mercer-trace-${axis.name}`, width: frame.width, height: frame.height, table });
    const [low, high] = d3.extent(present.flatMap((one) => values(episodes[one])));
    const x = d3.scaleLinear([0, Math.max(1, (length - 1) * stride)], [frame.left, frame.width - frame.right]);
    const y = d3.scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [frame.bottom, frame.top]).nice(4);
    draw_axes(made.svg, { x, y, left: frame.left, bottom: frame.bottom, x_title: "step", y_title: axis_title(axis), y_ticks: 4 });
    const curve = d3.line().x((_, t) => x(t * stride)).y((value) => y(value));
    for (const one of present) {
      made.svg.append("path").attr("d", curve(values(episodes[one]))).attr("fill", "none").attr("stroke", who[one])
        .attr("stroke-width", 1.7).attr("stroke-dasharray", one === "teacher" ? "4 3" : null);
    }
    made.svg.append("line").attr("class", "now").attr("y1", frame.top).attr("y2", frame.bottom).attr("stroke", "var(--soft)");
    made.svg.attr("aria-label", `${plain(axis.name)} over the steps of the episode: teacher dashed, embedding solid`);
    return { svg: made.svg, x };
  }

  function mark(step) {
    now = step;
    for (const { svg, x } of lines) svg.select("line.now").attr("x1", x(step * stride)).attr("x2", x(step * stride));
  }

  function draw_rest() {
    if (!details.open || more.childElementCount > 0) return;
    lines.push(...rest.map((one) => draw(more, one)));
    mark(now);
  }
  details.addEventListener("toggle", draw_rest);

  return {
    mark,
    show(of_both, task, one_frame) {
      episodes = of_both;
      stride = one_frame;
      const all = [
        ...task.action.map((axis, i) => ({ axis, values: (one) => column(one.actions, task.action.length, i) })),
        ...task.state.map((axis, i) => ({ axis, values: (one) => column(one.states, task.state.length, i) })),
      ];
      parent.replaceChildren();
      more.replaceChildren();
      lines = all.slice(0, most_at_once).map((one) => draw(parent, one));
      rest = all.slice(most_at_once);
      details.hidden = rest.length === 0;
      details.querySelector("summary").textContent = `${rest.length} more traces`;
      draw_rest();
    },
  };
}
