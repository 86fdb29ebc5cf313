// Perturbed tasks: what may be lost at each point of a grid, as a table and as a map with the worst point named.
import { number, number_up, percent, percent_up, whole } from "./format.js";
import { draw_axes, make_figure } from "./plot.js";
import { element, table } from "./tables.js";

const frame = { left: 62, right: 12, top: 8, below: 48, cell: 64 };
const most_rows = 12;

// In percent of the teacher's return. Where only a loss in units of return is bounded, that is shown.
const bound = (point) => point.upper_percent ?? (point.upper_return === null ? Infinity : (100 * point.upper_return) / Math.abs(point.teacher_return));
const bound_text = (point) => (point.upper_percent === null ? number_up(point.upper_return) : percent_up(point.upper_percent));
const share = (value) => (value === null ? "" : percent(100 * value));

export function point_words(grid, point) {
  return grid.names.map((name, d) => `${name}=${number(point.values[d], 6)}`).join(", ");
}

// The two parameters with most values are the axes; of the points that share a cell the worst is shown.
export function grid_cells(grid) {
  const values = grid.names.map((_, d) => [...new Set(grid.points.map((point) => point.values[d]))].sort((a, b) => a - b));
  const by_count = values.map((_, d) => d).sort((a, b) => values[b].length - values[a].length || a - b);
  const [x, y] = [by_count[0], by_count[1] ?? null];
  const cells = new Map();
  for (const point of grid.points) {
    const key = `${point.values[x]} ${y === null ? "" : point.values[y]}`;
    const other = cells.get(key);
    if (other === undefined || bound(point) > bound(other)) cells.set(key, point);
  }
  return { x, y, x_values: values[x], y_values: y === null ? [] : values[y], points: [...cells.values()] };
}

function draw(parent, grid) {
  const { x, y, x_values, y_values, points } = grid_cells(grid);
  const worst = grid.points[grid.worst];
  const width = frame.left + frame.right + Math.max(4, x_values.length) * frame.cell;
  const bottom = frame.top + Math.max(1, y_values.length) * frame.cell * 0.6;
  const others = grid.names.filter((_, d) => d !== x && d !== y);
  const title = `Loses at most, in percent of the teacher's mean return, over ${grid.names[x]}${y === null ? "" : ` and ${grid.names[y]}`}${others.length > 0 ? ` (worst over ${others.join(", ")})` : ""}`;
  const rows = () => ({
    columns: [...grid.names, "teacher_return", "loss_percent", "upper_percent"],
    rows: grid.points.map((point) => [...point.values, point.teacher_return, point.loss_percent, point.upper_percent]),
  });
  const { svg, figure } = make_figure(parent, { title, name: "mercer-perturbed", width, height: bottom + frame.below, table: rows });
  figure.className = "grid-map";
  svg.attr("aria-label", `${title}. Worst: ${point_words(grid, worst)}, ${bound_text(worst)}.`);
  const text = (value) => number(value, 4);
  const across = d3.scaleBand(x_values.map(text), [frame.left, width - frame.right]);
  const up = d3.scaleBand(y === null ? [""] : y_values.map(text), [bottom, frame.top]);
  const known = points.map(bound).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...known), Math.max(1e-9, ...known)];
  for (const point of points) {
    const at = { x: across(text(point.values[x])), y: up(y === null ? "" : text(point.values[y])) };
    const depth = Math.min(1, (bound(point) - low) / (high - low));
    const cell = svg.append("g").attr("class", "cell");
    cell.append("rect").attr("x", at.x + 1).attr("y", at.y + 1).attr("width", across.bandwidth() - 2).attr("height", up.bandwidth() - 2)
      .attr("fill", d3.interpolateOranges(0.05 + 0.6 * depth)).attr("stroke", point === worst ? "var(--ink)" : "none").attr("stroke-width", 3);
    cell.append("text").attr("x", at.x + across.bandwidth() / 2).attr("y", at.y + up.bandwidth() / 2 + 4).attr("text-anchor", "middle")
      .style("fill", "#111111").text(bound_text(point));
    cell.append("title").text(`${point_words(grid, point)}: at most ${bound_text(point)}, measured ${percent(point.loss_percent)}`);
  }
  draw_axes(svg, { x: across, y: up, left: frame.left, bottom, x_title: grid.names[x], y_title: y === null ? "" : grid.names[y], y_room: 50 });
}

function rows_of(grid, failures) {
  return grid.points.map((point, i) => ({
    name: point_words(grid, point) + (i === grid.worst ? " (worst)" : ""),
    kind: i === grid.worst ? "worst" : undefined,
    cells: [number(point.teacher_return, 4), percent(point.loss_percent), bound_text(point), share(point.motion.teacher.roughness), share(point.motion.embedding.roughness),
      ...(failures ? [share(point.teacher_failures), share(point.failures)] : [])].map((text) => [text, "number"]),
  }));
}

export function show_grid(parent, grid) {
  if (!grid) return;
  parent.append(element("h3", "Perturbed tasks"));
  parent.append(element("p", `At each of ${whole(grid.points.length)} points both play the same perturbed task, up to ${whole(grid.episodes)} paired episodes.`, "note"));
  draw(parent, grid);
  const failures = grid.points.some((point) => point.failures !== null);
  const titles = ["point", "teacher's return", "loses, measured", "at most", "roughness, teacher", "roughness, embedding", ...(failures ? ["failures, teacher", "failures, embedding"] : [])];
  const made = table(titles.map((title, i) => (i === 0 ? [title] : [title, "number"])), rows_of(grid, failures), "Perturbed tasks");
  if (grid.points.length <= most_rows) {
    parent.append(made);
    return;
  }
  const details = element("details");
  details.append(element("summary", `All ${whole(grid.points.length)} points`), made);
  parent.append(details);
}
