// Bytes against loss: every embedding that was tried, and what could be used instead.
import { percent, plain, whole } from "./format.js";
import { draw_axes, make_figure } from "./plot.js";

const size = { width: 760, height: 300, left: 62, right: 20, top: 12, bottom: 252 };

// Even around zero and logarithmic beyond, so that a few hopeless ones do not squeeze the rest together.
function loss_scale(points) {
  const losses = points.map((point) => point.loss_percent);
  const [low, high] = [Math.min(...losses, 0), Math.max(...losses, 1)];
  const room = (value) => 1.25 * value;
  return d3.scaleSymlog().constant(1).domain([low < 0 ? room(low) : -0.15, room(high)]).range([size.bottom, size.top]);
}

function loss_ticks([low, high]) {
  const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000];
  const side = (most) => sizes.filter((value) => value <= most && (most <= 30 || /^10*$/.test(String(value))));
  return [...side(-low).map((value) => -value).reverse(), 0, ...side(high)];
}

export function make_front(parent, { on_pick }) {
  let points = [];
  const table = () => ({
    columns: ["name", "kind", "bytes", "loss_percent", "on_front", "roughness", "admissible"],
    rows: points.map((point) => [point.name, point.kind, point.bytes, point.loss_percent, point.on_front, point.roughness, point.admissible]),
  });
  const { svg } = make_figure(parent, { title: "Bytes against loss of return", name: "mercer-front", width: size.width, height: size.height, table });
  svg.attr("role", "group");

  function mark(group, point, x, y, chosen) {
    const spot = group.append("g").attr("transform", `translate(${x(point.bytes)},${y(point.loss_percent)})`);
    const colour = point.kind === "alternative" ? "var(--teacher)" : "var(--student)";
    if (point.kind === "alternative") {
      spot.append("rect").attr("x", -5).attr("y", -5).attr("width", 10).attr("height", 10).attr("fill", colour);
      const right = x(point.bytes) > 0.7 * size.width;
      spot.append("text").attr("x", right ? 5 : 9).attr("y", right ? -10 : 4).attr("text-anchor", right ? "end" : "start").text(point.name);
    } else {
      spot.append("circle").attr("r", point.on_front ? 5.5 : 3.5).attr("fill", point.on_front ? colour : "var(--card)")
        .attr("stroke", colour).attr("stroke-width", 1.4).attr("stroke-dasharray", point.admissible === false ? "2 2" : null);
    }
    if (chosen) spot.append("circle").attr("r", 10).attr("fill", "none").attr("stroke", "var(--ink)").attr("stroke-width", 2);
    const rough = typeof point.roughness === "number" ? `, roughness ${percent(100 * point.roughness)}` : "";
    const words = `${point.name}: ${whole(point.bytes)} bytes, loss ${percent(point.loss_percent)}${rough}`;
    spot.append("title").text(words);
    if (point.pick === undefined) return;
    const node = spot.attr("class", "clickable").attr("role", "button").attr("tabindex", 0)
      .attr("aria-label", `Show ${words}`).style("cursor", "pointer").node();
    node.addEventListener("click", () => on_pick(point.pick));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      on_pick(point.pick);
    });
  }

  return {
    show(all, is_chosen) {
      points = all.filter((point) => point.loss_percent !== null && point.bytes > 0);
      svg.selectAll("*").remove();
      if (points.length === 0) return;
      const bytes = points.map((point) => point.bytes);
      const x = d3.scaleLog([Math.min(...bytes) / 1.3, Math.max(...bytes) * 1.6], [size.left, size.width - size.right]);
      const y = loss_scale(points);
      draw_axes(svg, { x, y, left: size.left, bottom: size.bottom, x_title: "bytes", y_title: "loss of return, %", x_ticks: 6, x_format: "~s", y_values: loss_ticks(y.domain()) });
      if (y.domain()[0] < 0) {
        svg.insert("line", ":first-child").attr("x1", size.left).attr("x2", size.width - size.right).attr("y1", y(0)).attr("y2", y(0))
          .attr("stroke", "var(--soft)").attr("stroke-dasharray", "2 4");
      }
      const best = points.filter((point) => point.on_front).sort((a, b) => a.bytes - b.bytes);
      svg.append("path").attr("d", d3.line().x((p) => x(p.bytes)).y((p) => y(p.loss_percent)).curve(d3.curveStepAfter)(best))
        .attr("fill", "none").attr("stroke", "var(--student)").attr("stroke-width", 1.4).attr("opacity", 0.6);
      const group = svg.append("g");
      for (const point of [...points].sort((a, b) => Number(a.on_front) - Number(b.on_front))) mark(group, point, x, y, is_chosen(point));
      svg.attr("aria-label", `${plain("Bytes against loss")}: ${points.length} points`);
    },
  };
}
