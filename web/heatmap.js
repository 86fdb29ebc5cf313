// Teacher, embedding, another embedding and a difference over two dimensions of the state.
import { axis_title, number, plain, with_unit } from "./format.js";
import { draw_visits, make_marks, nearest_step } from "./map_marks.js";
import { draw_axes, make_figure, palette, pixels } from "./plot.js";

const size = 250;
const frame = { left: 53, right: size - 8, top: 6, bottom: size - 40 };
const names = ["teacher", "embedding", "other", "difference"];
const signed = palette((share) => d3.interpolateRdBu(1 - share));
const apart = palette((share) => d3.interpolatePuOr(1 - share));
const grey = d3.rgb(150, 150, 150);

// Colours for discrete actions, told apart by people who see colours differently, too.
const kinds = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"].map((text) => d3.rgb(text));

// Of the embedding: from the other one where there is one, else from the teacher.
export function difference(slice) {
  const reference = slice.other ?? slice.teacher;
  if (!reference) return null;
  return slice.embedding.map((value, i) => {
    const other = reference[i];
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

function draw_legend(svg, look, title) {
  svg.selectAll("g.legend").remove();
  const box = svg.append("g").attr("class", "legend");
  const width = frame.right - frame.left, y = size + 2;
  if (look.scale) {
    const steps = 48;
    for (let i = 0; i < steps; ++i) {
      box.append("rect").attr("x", frame.left + (i * width) / steps).attr("y", y).attr("width", width / steps + 0.5)
        .attr("height", 8).attr("fill", look.scale((i + 0.5) / steps));
    }
    box.append("text").attr("x", frame.left).attr("y", y + 20).text(number(look.low));
    box.append("text").attr("x", frame.left + width / 2).attr("y", y + 20).attr("text-anchor", "middle").text(title);
    box.append("text").attr("x", frame.right).attr("y", y + 20).attr("text-anchor", "end").text(number(look.high));
  } else if (look.actions) {
    const each = width / Math.min(look.actions, kinds.length);
    for (let a = 0; a < Math.min(look.actions, kinds.length); ++a) {
      box.append("rect").attr("x", frame.left + a * each).attr("y", y).attr("width", 10).attr("height", 10).attr("fill", kinds[a]);
      box.append("text").attr("x", frame.left + a * each + 14).attr("y", y + 9).text(a);
    }
    box.append("text").attr("x", frame.left).attr("y", y + 22).text(`${title}: number of the action`);
  } else {
    box.append("text").attr("x", frame.left).attr("y", y + 10).text(look.legend);
  }
}

// `on_near` gets the step at which the episode is near the cursor.
export function make_heatmaps(parent, { on_pick, on_read, on_near }) {
  let slice = null, cursor = null, shown = {};
  const grids = {};
  const panels = names.map((panel) => {
    const table = () => ({
      columns: [slice.x.name, slice.y.name, panel, "visits"],
      rows: grids[panel].map((value, i) => [...place(i), value, slice.visits?.[i]]),
    });
    const made = make_figure(parent, { title: panel, name: `mercer-${panel}`, width: size, height: size + 26, table });
    made.svg.append("image").attr("x", frame.left).attr("y", frame.top).attr("width", frame.right - frame.left)
      .attr("height", frame.bottom - frame.top).attr("preserveAspectRatio", "none").attr("image-rendering", "pixelated");
    listen(made.svg.node());
    return { ...made, panel, marks: null };
  });
  const seen = () => panels.filter(({ panel }) => grids[panel]);

  const middle = (range, n, i) => range.low + ((i + 0.5) * (range.high - range.low)) / n;
  const place = (i) => [middle(slice.x, slice.n, i % slice.n), middle(slice.y, slice.n, Math.floor(i / slice.n))];
  const cell = (at) => at.row * slice.n + at.column;

  function cell_at(node, event) {
    const box = node.getBoundingClientRect();
    const x = ((event.clientX - box.left) * size) / box.width, y = ((event.clientY - box.top) * (size + 26)) / box.height;
    const across = (x - frame.left) / (frame.right - frame.left), up = (frame.bottom - y) / (frame.bottom - frame.top);
    if (across < 0 || across >= 1 || up < 0 || up >= 1) return null;
    return { column: Math.floor(across * slice.n), row: Math.floor(up * slice.n) };
  }

  function read(at) {
    cursor = at;
    for (const { marks } of seen()) marks.cursor(place(cell(at)));
    const [x, y] = place(cell(at));
    const value = (panel) => (slice.count ? number(grids[panel][cell(at)]) : with_unit(grids[panel][cell(at)], shown.action));
    const values = ["teacher", "embedding", "other"].filter((panel) => grids[panel]).map((panel) => `${shown.titles[panel]} ${value(panel)}`);
    on_read(`${plain(slice.x.name)} ${with_unit(x, slice.x)}, ${plain(slice.y.name)} ${with_unit(y, slice.y)}: ${values.join(", ")}.` +
      (shown.pickable ? " Click or press Enter to start an episode here." : ""));
    const near = shown.paths?.embedding ? nearest_step(shown.paths.embedding, [x, y], slice) : null;
    if (near !== null) on_near(near);
  }

  function pick(at) {
    if (shown.pickable) on_pick(...place(cell(at)));
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

  function show_step(step) {
    for (const { marks } of seen()) {
      for (const [who, path] of Object.entries(shown.paths ?? {})) marks.now(who, path[Math.min(step, path.length - 1)]);
    }
  }

  function draw_panel(one, x, y) {
    const { svg, panel, words } = one;
    const look = colouring(panel, slice, grids[panel]);
    svg.select("image").attr("href", pixels(slice.n, (i) => (grids[panel][i] === null ? grey : look.colour(grids[panel][i]))));
    words.textContent = shown.titles[panel];
    svg.attr("aria-label", `${shown.titles[panel]}: ${axis_title(shown.action)} over ${plain(slice.x.name)} and ${plain(slice.y.name)}. Arrow keys read values${shown.pickable ? ", Enter starts an episode there" : ""}.`);
    draw_axes(svg, { x, y, left: frame.left, bottom: frame.bottom, x_title: axis_title(slice.x), y_title: axis_title(slice.y), x_ticks: 4 });
    draw_legend(svg, look, axis_title(shown.action));
    draw_visits(svg, slice, shown.visits, frame);
    one.marks = make_marks(svg, x, y);
    for (const [who, path] of Object.entries(shown.paths ?? {})) one.marks.path(who, path);
    one.marks.start(shown.start);
    if (cursor) one.marks.cursor(place(cell(cursor)));
  }

  return {
    show_step,
    // `view`: { visits, start, paths, step, action, titles, pickable }
    show(next, view) {
      slice = next;
      shown = view;
      if (cursor && (cursor.column >= slice.n || cursor.row >= slice.n)) cursor = null;
      Object.assign(grids, { teacher: slice.teacher, embedding: slice.embedding, other: slice.other, difference: difference(slice) });
      const x = d3.scaleLinear([slice.x.low, slice.x.high], [frame.left, frame.right]);
      const y = d3.scaleLinear([slice.y.low, slice.y.high], [frame.bottom, frame.top]);
      for (const one of panels) {
        one.figure.hidden = !grids[one.panel];
        if (grids[one.panel]) draw_panel(one, x, y);
      }
      parent.classList.toggle("four", seen().length === 4);
      show_step(view.step);
    },
    forget_cursor: () => { cursor = null; },
  };
}
