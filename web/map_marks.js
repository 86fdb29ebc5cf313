// What lies over a heat map: where the teacher goes, the episode with its present step, its start and the cursor.
const dark = "#111111", light = "#ffffff", start_colour = "#0b6b2f";
const colours = { teacher: "#ff8c3a", embedding: "#19e0ff" };

const wrap = (value, angle) => (angle ? value - 2 * Math.PI * Math.floor((value + Math.PI) / (2 * Math.PI)) : value);

// The places of an episode on two axes of the state, angles turned into one turn.
export function path_of({ states }, axes, x, y) {
  const width = axes.length;
  return Array.from({ length: states.length / width }, (_, t) => [x, y].map((d) => wrap(states[t * width + d], axes[d].angle)));
}

// The step at which a path comes nearest to a place, if it comes near: within 5% of what is shown.
export function nearest_step(path, [x_value, y_value], { x, y }) {
  let best = null, least = 0.05 ** 2;
  path.forEach(([px, py], t) => {
    const far = ((px - x_value) / (x.high - x.low)) ** 2 + ((py - y_value) / (y.high - y.low)) ** 2;
    if (far < least) [best, least] = [t, far];
  });
  return best;
}

// Lines of equal visits: a tenth, a hundredth and a thousandth of the most visited place.
export function draw_visits(svg, { n, visits }, shown, { left, right, top, bottom }) {
  svg.selectAll("g.visits").remove();
  const most = shown && visits ? Math.max(...visits) : 0;
  if (!(most > 0)) return;
  const lines = d3.contours().size([n, n]).thresholds([0.1, 0.01, 0.001].map((share) => share * most))(visits);
  const project = d3.geoTransform({
    point(x, y) { this.stream.point(left + (x / n) * (right - left), bottom - (y / n) * (bottom - top)); },
  });
  const path = d3.geoPath(project);
  const group = svg.append("g").attr("class", "visits").attr("fill", "none").attr("pointer-events", "none");
  for (const stroke of [{ colour: light, width: 2.4 }, { colour: dark, width: 1 }]) {
    group.selectAll(null).data(lines).enter().append("path").attr("d", path).attr("stroke", stroke.colour)
      .attr("stroke-width", stroke.width).attr("opacity", 0.75);
  }
}

// `x` and `y` are scales; what lies outside of them is left out.
export function make_marks(svg, x, y) {
  svg.selectAll("g.marks").remove();
  const marks = svg.append("g").attr("class", "marks").attr("pointer-events", "none");
  const inside = ([px, py]) => px >= x.domain()[0] && px <= x.domain()[1] && py >= y.domain()[0] && py <= y.domain()[1];
  const ring = (name, place, radius, colour, fill = "none") => {
    marks.selectAll(`circle.${name}`).remove();
    if (!place || !inside(place)) return;
    for (const [stroke, width] of [[light, 3.5], [colour, 1.6]]) {
      marks.append("circle").attr("class", name).attr("cx", x(place[0])).attr("cy", y(place[1])).attr("r", radius)
        .attr("fill", fill).attr("stroke", stroke).attr("stroke-width", width);
    }
  };
  return {
    cursor: (place) => ring("cursor", place, 4, dark),
    start: (place) => ring("start", place, 6, start_colour),
    now: (who, place) => ring(`now-${who}`, place, 4, dark, colours[who]),
    // A path that leaves what is shown, or turns around, is broken there.
    path(who, places) {
      const jumps = (t) => t > 0 && Math.abs(x(places[t][0]) - x(places[t - 1][0])) > 0.5 * (x.range()[1] - x.range()[0]);
      const pieces = [[]];
      places.forEach((place, t) => {
        if (!inside(place) || jumps(t)) pieces.push([]);
        if (inside(place)) pieces.at(-1).push([x(place[0]), y(place[1])]);
      });
      for (const [stroke, width] of [[dark, 2.6], [colours[who], 1.3]]) {
        marks.append("path").attr("class", `path-${who}`).attr("d", pieces.map((piece) => d3.line()(piece) ?? "").join("")).attr("fill", "none")
          .attr("stroke", stroke).attr("stroke-width", width).attr("stroke-dasharray", who === "teacher" ? "4 3" : null);
      }
    },
  };
}
