// Teacher, embedding and their difference over two dimensions of the state.
import { axis_title, number, plain } from "./format.js";
import { draw_axes, make_figure, palette, pixels } from "./plot.js";

const size = 250;
const frame = { left: 53, right: 8, top: 6, bottom: size - 40 };
const signed = palette((share) => d3.interpolateRdBu(1 - share));
const apart = palette((share) => d3.interpolatePuOr(1 - share));
const grey = d3.rgb(150, 150, 150);

// Colours for discrete actions, told apart by people who see colours differently, too.
const kinds = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"].map((text) => d3.rgb(text));

export function difference(slice) {
  if (!slice.teacher) return null;
  return slice.embedding.map((value, i) => {
    const other = slice.teacher[i];
    if (value === null || other === null) return null;
    return slice.count ? Number(value !== other) : value - other;
  });
}

function colouring(panel, slice, grid) {
  if (panel === "difference") {
    if (slice.count) return { colour: (v) => (v ? kinds[1] : d3.rgb(235, 235, 235)), legend: "red: another action" };
    const most = Math.max(1e-12, ...grid.map((v) => Math.abs(v ?? 0)));
    return { colour: (v) => apart(0.5 + v / (2 * most)), low: -most, high: most, scale: apart };
  }
  if (slice.count) return { colour: (v) => kinds[v % kinds.length], actions: slice.count };
  const span = slice.high - slice.low || 1;
  return { colour: (v) => signed((v - slice.low) / span), low: slice.low, high: slice.high, scale: signed };
}

function draw_legend(svg, look) {
  svg.selectAll("g.legend").remove();
  const box = svg.append("g").attr("class", "legend");
  const width = size - frame.left - frame.right, y = size + 2;
  if (look.scale) {
    const steps = 48;
    for (let i = 0; i < steps; ++i) {
      box.append("rect").attr("x", frame.left + (i * width) / steps).attr("y", y).attr("width", width / steps + 0.5)
        .attr("height", 8).attr("fill", look.scale((i + 0.5) / steps));
    }
    box.append("text").attr("x", frame.left).attr("y", y + 20).text(number(look.low));
    box.append("text").attr("x", size - frame.right).attr("y", y + 20).attr("text-anchor", "end").text(number(look.high));
  } else if (look.actions) {
    const each = width / Math.min(look.actions, kinds.length);
    for (let a = 0; a < Math.min(look.actions, kinds.length); ++a) {
      box.append("rect").attr("x", frame.left + a * each).attr("y", y).attr("width", 10).attr("height", 10).attr("fill", kinds[a]);
      box.append("text").attr("x", frame.left + a * each + 14).attr("y", y + 9).text(a);
    }
  } else {
    box.append("text").attr("x", frame.left).attr("y", y + 10).text(look.legend);
  }
}

// Lines of equal visits: a tenth, a hundredth and a thousandth of the most visited place.
function draw_visits(svg, slice, shown) {
  svg.selectAll("g.visits").remove();
  if (!shown || !slice.visits) return;
  const { n, visits } = slice;
  const most = Math.max(...visits);
  if (!(most > 0)) return;
  const lines = d3.contours().size([n, n]).thresholds([0.1, 0.01, 0.001].map((share) => share * most))(visits);
  const width = size - frame.left - frame.right, height = frame.bottom - frame.top;
  const project = d3.geoTransform({
    point(x, y) { this.stream.point(frame.left + (x / n) * width, frame.bottom - (y / n) * height); },
  });
  const path = d3.geoPath(project);
  const group = svg.append("g").attr("class", "visits").attr("fill", "none").attr("pointer-events", "none");
  for (const stroke of [{ colour: "#ffffff", width: 2.4 }, { colour: "#111111", width: 1 }]) {
    group.selectAll(null).data(lines).enter().append("path").attr("d", path).attr("stroke", stroke.colour)
      .attr("stroke-width", stroke.width).attr("opacity", 0.75);
  }
}

export function make_heatmaps(parent, { on_pick, on_read }) {
  let slice = null, cursor = null, start = null;
  const grids = {};
  const panels = ["teacher", "embedding", "difference"].map((panel) => {
    const table = () => ({
      columns: [slice.x.name, slice.y.name, panel, "visits"],
      rows: grids[panel].map((value, i) => [...place(i), value, slice.visits?.[i]]),
    });
    const made = make_figure(parent, { title: plain(panel), name: `mercer-${panel}`, width: size, height: size + 26, table });
    made.svg.append("image").attr("x", frame.left).attr("y", frame.top).attr("width", size - frame.left - frame.right)
      .attr("height", frame.bottom - frame.top).attr("preserveAspectRatio", "none").attr("image-rendering", "pixelated");
    made.svg.append("g").attr("class", "marks").attr("pointer-events", "none");
    listen(made.svg.node(), panel);
    return { ...made, panel };
  });

  const middle = (range, n, i) => range.low + ((i + 0.5) * (range.high - range.low)) / n;
  const place = (i) => [middle(slice.x, slice.n, i % slice.n), middle(slice.y, slice.n, Math.floor(i / slice.n))];

  function cell_at(node, event) {
    const box = node.getBoundingClientRect();
    const x = ((event.clientX - box.left) * size) / box.width, y = ((event.clientY - box.top) * (size + 26)) / box.height;
    const across = (x - frame.left) / (size - frame.left - frame.right), up = (frame.bottom - y) / (frame.bottom - frame.top);
    if (across < 0 || across >= 1 || up < 0 || up >= 1) return null;
    return { column: Math.floor(across * slice.n), row: Math.floor(up * slice.n) };
  }

  function read(at) {
    cursor = at;
    draw_marks();
    const i = at.row * slice.n + at.column;
    const [x, y] = place(i);
    const value = (panel) => (grids[panel] ? number(grids[panel][i]) : "unknown");
    on_read(`${plain(slice.x.name)} ${number(x)}, ${plain(slice.y.name)} ${number(y)}: teacher ${value("teacher")}, ` +
      `embedding ${value("embedding")}. Click or press Enter to start an episode here.`);
  }

  function pick(at) {
    const [x, y] = place(at.row * slice.n + at.column);
    on_pick(x, y);
  }

  function listen(node) {
    node.classList.add("clickable");
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "application");
    node.addEventListener("pointermove", (event) => {
      const at = slice && cell_at(node, event);
      if (at) read(at);
    });
    node.addEventListener("click", (event) => {
      const at = slice && cell_at(node, event);
      if (at) pick(at);
    });
    node.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      if (!slice) return;
      const at = cursor ?? { column: Math.floor(slice.n / 2), row: Math.floor(slice.n / 2) };
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        pick(at);
      } else if (moves[event.key]) {
        event.preventDefault();
        const [right, up] = moves[event.key];
        const inside = (value) => Math.max(0, Math.min(slice.n - 1, value));
        read({ column: inside(at.column + right), row: inside(at.row + up) });
      }
    });
  }

  function draw_marks() {
    const width = size - frame.left - frame.right, height = frame.bottom - frame.top;
    for (const { svg } of panels) {
      const marks = svg.select("g.marks");
      marks.selectAll("*").remove();
      const ring = (x, y, radius, colour) => {
        marks.append("circle").attr("cx", x).attr("cy", y).attr("r", radius).attr("fill", "none").attr("stroke", "#ffffff").attr("stroke-width", 3.5);
        marks.append("circle").attr("cx", x).attr("cy", y).attr("r", radius).attr("fill", "none").attr("stroke", colour).attr("stroke-width", 1.6);
      };
      if (cursor) ring(frame.left + ((cursor.column + 0.5) / slice.n) * width, frame.bottom - ((cursor.row + 0.5) / slice.n) * height, 4, "#111111");
      if (start) {
        const across = (start[0] - slice.x.low) / (slice.x.high - slice.x.low), up = (start[1] - slice.y.low) / (slice.y.high - slice.y.low);
        if (across >= 0 && across <= 1 && up >= 0 && up <= 1) ring(frame.left + across * width, frame.bottom - up * height, 6, "#0b6b2f");
      }
      marks.raise();
    }
  }

  return {
    show(next, { visits, start_at }) {
      slice = next;
      start = start_at;
      if (cursor && (cursor.column >= slice.n || cursor.row >= slice.n)) cursor = null;
      Object.assign(grids, { teacher: slice.teacher, embedding: slice.embedding, difference: difference(slice) });
      const x = d3.scaleLinear([slice.x.low, slice.x.high], [frame.left, size - frame.right]);
      const y = d3.scaleLinear([slice.y.low, slice.y.high], [frame.bottom, frame.top]);
      for (const { svg, panel, figure } of panels) {
        const grid = grids[panel];
        figure.hidden = !grid;
        if (!grid) continue;
        const look = colouring(panel, slice, grid);
        svg.select("image").attr("href", pixels(slice.n, (i) => (grid[i] === null ? grey : look.colour(grid[i]))));
        svg.attr("aria-label", `${plain(panel)}: action over ${plain(slice.x.name)} and ${plain(slice.y.name)}. Arrow keys read values, Enter starts an episode there.`);
        draw_axes(svg, { x, y, left: frame.left, bottom: frame.bottom, x_title: axis_title(slice.x), y_title: axis_title(slice.y), x_ticks: 4 });
        draw_legend(svg, look);
        draw_visits(svg, slice, visits);
      }
      draw_marks();
    },
  };
}
