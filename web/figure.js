// Robots as stick figures: round-capped lines, seen from the side (x, z) or from above (x, y). A camera that has to follow
// its robot shows by ticks on the ground how far it has come.
import { number } from "./format.js";

const frame_height = 200, foot = 24, margin = 12;
const panel_width = (views) => (views.length > 1 ? 260 : 368);
const upwards = { side: "z", above: "y" };
const away = { side: ["y", -1], above: ["z", 1] };
const view_words = { side: "from the side", above: "from above" };

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const width = ([low, high]) => high - low;
const union = (extents) => [Math.min(...extents.map(([low]) => low)), Math.max(...extents.map(([, high]) => high))];
const by_name = (names, value) => Object.fromEntries(names.map((name) => [name, value(name)]));

// The robot's sticks in each frame, in metres, { x: [from, to], z: [from, to] }, with its middle, and what stands around
// it with the frames that show it.
export function unpack_figure({ views, coordinates, unit, radii, first, changes, fixed }) {
  const names = [...coordinates], each = 2 * names.length, places = [...first];
  const sticks = (numbers, count) => Array.from({ length: count }, (_, s) => Object.fromEntries(names.map((name, d) =>
    [name, [numbers[s * each + d] * unit, numbers[s * each + names.length + d] * unit]])));
  const frames = [sticks(places, radii.length)];
  for (let at = 0; at < changes.length; at += places.length) {
    for (let i = 0; i < places.length; ++i) places[i] += changes[at + i];
    frames.push(sticks(places, radii.length));
  }
  const middles = frames.map((frame) => by_name(names, (name) => mean(frame.flatMap((stick) => stick[name]))));
  const around = sticks(fixed.ends, fixed.radii.length).map((stick, i) =>
    ({ stick, radius: fixed.radii[i], from: fixed.frames[2 * i], to: fixed.frames[2 * i + 1] }));
  return { views, names, radii, frames, middles, around };
}

const last_of = (figure, frame) => Math.min(frame, figure.frames.length - 1);

const extent = (stick, radius, name) => [Math.min(...stick[name]) - radius, Math.max(...stick[name]) + radius];

// Small fixed parts, such as a goal, are to be seen as well; the ground may be endless.
const goals = (figure, axes, span) => figure.around.filter(({ stick, radius }) => axes.every((name) => width(extent(stick, radius, name)) < 0.8 * span));

// One camera for all figures of a view, so that they can be compared. Where all of the motion fits it stands still, and a
// runner is followed. What flies is shown with its whole flight, however small that makes it, up to a limit.
export function make_camera(figures, view) {
  const up = upwards[view], axes = ["x", up];
  const seen = figures.flatMap((figure) => figure.frames.map((_, f) => by_name(axes, (name) => union(figure.frames[f].map((stick, s) => extent(stick, figure.radii[s], name))))));
  const span = Math.max(1e-9, ...seen.flatMap((one) => axes.map((name) => width(one[name]))));
  const flies = figures.some(({ names, middles }) => names.includes("z") && width(union(middles.map(({ z }) => [z, z]))) > 1.5 * span);
  const most = (flies ? 14 : 4) * span;
  const reach = by_name(axes, (name) => union(seen.map((one) => one[name])));
  const ground = view === "side" && reach.z[0] > -0.2 * span && reach.z[0] < span ? 0 : null;
  if (ground !== null) reach.z = [Math.min(0, reach.z[0]), reach.z[1]];
  const shown = by_name(axes, (name) => {
    const wide = union([reach[name], ...figures.flatMap((figure) => goals(figure, axes, span).map(({ stick, radius }) => extent(stick, radius, name)))]);
    return width(wide) <= most ? wide : reach[name];
  });
  const follow = by_name(axes, (name) => width(shown[name]) > most);
  const panel = panel_width(figures[0].views);
  const room = { x: panel - 2 * margin, [up]: frame_height - margin - foot };
  const scale = Math.min(...axes.map((name) => room[name] / (follow[name] ? 2.4 * span : Math.max(width(shown[name]), 1.2 * span))));
  return { view, up, panel, span, scale, follow, ground, flies, still: by_name(axes, (name) => mean(shown[name])), step: tick_step(260 / scale / 5) };
}

// 1, 2 or 5 times a power of ten.
export function tick_step(about) {
  const power = 10 ** Math.floor(Math.log10(about));
  return power * ([1, 2, 5].find((times) => times * power >= about) ?? 10);
}

function ticks(low, high, step) {
  const first = Math.ceil(low / step), count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

const line = (group, kind, x1, y1, x2, y2, colour) =>
  group.append("line").attr("class", kind).attr("x1", x1).attr("y1", y1).attr("x2", x2).attr("y2", y2).attr("stroke", colour);

// Behind everything: lines that a flyer, or a robot seen from above, moves over.
function draw_net(group, { view, up, panel, flies, step }, { to_x, to_y, window }) {
  if (view === "side" && !flies) return;
  for (const value of ticks(...window[up], step)) line(group, "net", 0, to_y(value), panel, to_y(value), "var(--line)");
  for (const value of ticks(...window.x, step)) line(group, "net", to_x(value), 0, to_x(value), frame_height - foot, "var(--line)");
}

// The ground with its ticks; where there is none, a ruler below the picture and the heights of the net.
function draw_ground(group, { view, up, panel, ground, flies, step }, { to_x, to_y, window }) {
  const level = ground === null ? frame_height - foot : to_y(ground);
  const label = (value, x, y) => group.append("text").attr("x", x).attr("y", y).text(`${number(value, 4)} m`);
  for (const value of view === "above" || flies ? ticks(...window[up], step) : []) {
    if (to_y(value) < level - 6 && to_y(value) > 30) label(value, 4, to_y(value) - 3);
  }
  for (const value of ticks(...window.x, step)) {
    line(group, "tick", to_x(value), level, to_x(value), level + 6, "var(--soft)");
    if (to_x(value) > 18 && to_x(value) < panel - 18) label(value, to_x(value), level + 17).attr("text-anchor", "middle");
  }
  line(group, "ground", 0, level, panel, level, "var(--soft)");
}

function draw_stick(group, { up, scale }, { to_x, to_y }, { stick, radius }, kind, colour) {
  const thick = Math.max(kind === "fixed" ? 1.5 : 3, 2 * radius * scale);
  // A thick stick has a rim, so that crossing ones stay apart.
  const drawn = [[kind, colour, 0]];
  if (kind === "stick" && thick >= 5) drawn.unshift(["rim", "var(--shade)", 1.6]);
  // Walls are pale: labels stand before them.
  const long = Math.hypot(width(stick.x), width(stick[up])) > 3 * radius;
  if (kind === "fixed" && thick > 8 && long) drawn[0][1] = "var(--line)";
  for (const [name, stroke, more] of drawn) {
    line(group, name, to_x(stick.x[0]), to_y(stick[up][0]), to_x(stick.x[1]), to_y(stick[up][1]), stroke)
      .attr("stroke-width", thick + more).attr("stroke-linecap", "round");
  }
}

// The floor is no line where it is seen from above.
function around_of(figure, { view, up, span }, frame) {
  const shown = view === "above" && figure.views.length > 1 ? goals(figure, ["x", up], span) : figure.around;
  return shown.filter(({ from, to }) => from <= frame && frame <= to);
}

// What is nearer comes later.
function robot_of(figure, { view }, frame) {
  const [name, sign] = away[view];
  const nearness = ({ stick }) => (name in stick ? sign * mean(stick[name]) : 0);
  return figure.frames[frame].map((stick, s) => ({ stick, radius: figure.radii[s] })).sort((a, b) => nearness(a) - nearness(b));
}

let clips = 0;
function draw_view(svg, camera, figure, frame, colour, left) {
  const { view, up, panel, scale, follow, still } = camera;
  const at = by_name(["x", up], (name) => (follow[name] ? figure.middles[frame][name] : still[name]));
  const middle = (frame_height - foot + margin) / 2;
  const to_x = (value) => panel / 2 + (value - at.x) * scale, to_y = (value) => middle - (value - at[up]) * scale;
  const window = {
    x: [at.x - panel / 2 / scale, at.x + panel / 2 / scale],
    [up]: [at[up] - (frame_height - foot - middle) / scale, at[up] + middle / scale],
  };
  const clip = `clip-${++clips}`;
  const box = svg.append("g").attr("class", `view ${view}`).attr("transform", `translate(${left},0)`);
  box.append("clipPath").attr("id", clip).append("rect").attr("width", panel).attr("height", frame_height);
  const group = box.append("g").attr("clip-path", `url(#${clip})`);
  const place = { to_x, to_y, window };
  draw_net(group, camera, place);
  for (const one of around_of(figure, camera, frame)) draw_stick(group, camera, place, one, "fixed", "var(--soft)");
  draw_ground(group, camera, place);
  if (camera.flies && !follow.x && !follow[up]) {
    const path = figure.middles.slice(0, frame + 1).map((one) => [to_x(one.x), to_y(one[up])]);
    group.append("path").attr("class", "path").attr("d", d3.line()(path)).attr("fill", "none").attr("stroke", colour).attr("opacity", 0.5);
  }
  for (const one of robot_of(figure, camera, frame)) draw_stick(group, camera, place, one, "stick", colour);
  if (figure.views.length > 1) group.append("text").attr("x", 8).attr("y", 16).text(view_words[view]);
  if (left > 0) box.append("line").attr("y2", frame_height).attr("stroke", "var(--line)");
}

export const figure_size = ({ views }) => ({ width: panel_width(views) * views.length, height: frame_height });

// All views of a figure next to each other, as `cameras` see them.
export function draw_figure(svg, cameras, figure, frame, colour) {
  svg.selectAll("*").remove();
  cameras.forEach((camera, i) => draw_view(svg, camera, figure, last_of(figure, frame), colour, i * camera.panel));
}

// What the picture shows, for those who do not see it.
export function figure_words(figure, frame) {
  const at = figure.middles[last_of(figure, frame)];
  const where = figure.names.map((name) => `${name} ${number(at[name])} m`).join(", ");
  return `stick figure of ${figure.radii.length} parts seen ${figure.views.map((view) => view_words[view]).join(" and ")}, its middle at ${where}`;
}
