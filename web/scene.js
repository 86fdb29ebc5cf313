// Tasks that can be drawn moving. Each takes the state as an object of names and the action, and draws into an SVG.

const width = 260, height = 200;
export const scene_size = { width, height };

function pendulum(svg, state, action, colour) {
  // theta is zero upright and grows counter-clockwise.
  const x = width / 2, y = height / 2, length = 74;
  const tip = [x - length * Math.sin(state.theta), y - length * Math.cos(state.theta)];
  svg.append("circle").attr("cx", x).attr("cy", y).attr("r", length + 12).attr("fill", "none").attr("stroke", "var(--line)");
  svg.append("line").attr("x1", x).attr("y1", y).attr("x2", tip[0]).attr("y2", tip[1]).attr("stroke", colour)
    .attr("stroke-width", 13).attr("stroke-linecap", "round");
  svg.append("circle").attr("cx", x).attr("cy", y).attr("r", 4).attr("fill", "var(--card)");
  const turn = Math.max(-1, Math.min(1, action[0] / 2)) * 2.2;
  if (Math.abs(turn) > 0.03) {
    const arc = d3.arc()({ innerRadius: 26, outerRadius: 30, startAngle: 0, endAngle: -turn });
    svg.append("path").attr("transform", `translate(${x},${y})`).attr("d", arc).attr("fill", "var(--ink)").attr("opacity", 0.7);
  }
}

function car(svg, state, action, colour, discrete) {
  const x = d3.scaleLinear([-1.2, 0.6], [10, width - 10]), y = d3.scaleLinear([-1.05, 1.15], [height - 22, 24]);
  const track = d3.range(-1.2, 0.61, 0.02);
  svg.append("path").attr("d", d3.line()((track.map((p) => [x(p), y(Math.sin(3 * p))])))).attr("fill", "none")
    .attr("stroke", "var(--soft)").attr("stroke-width", 2);
  const goal = 0.45;
  svg.append("path").attr("d", `M${x(goal)},${y(Math.sin(3 * goal))}v-26l14,6l-14,6`).attr("fill", "var(--good)").attr("stroke", "var(--good)");
  const slope = Math.atan2(y(Math.sin(3 * (state.position + 0.01))) - y(Math.sin(3 * state.position)), x(state.position + 0.01) - x(state.position));
  const body = svg.append("g").attr("transform", `translate(${x(state.position)},${y(Math.sin(3 * state.position))}) rotate(${(slope * 180) / Math.PI})`);
  body.append("rect").attr("x", -13).attr("y", -15).attr("width", 26).attr("height", 10).attr("rx", 3).attr("fill", colour);
  for (const wheel of [-7, 7]) body.append("circle").attr("cx", wheel).attr("cy", -4).attr("r", 4).attr("fill", "var(--ink)");
  const push = discrete ? action[0] - 1 : action[0];
  if (Math.abs(push) > 0.02) body.append("line").attr("x1", 0).attr("x2", 30 * push).attr("y1", -22).attr("y2", -22).attr("stroke", "var(--ink)").attr("stroke-width", 3);
}

function pole(svg, state, action, colour) {
  const x = d3.scaleLinear([-2.4, 2.4], [14, width - 14]), floor = height - 42;
  const place = Math.max(14, Math.min(width - 14, x(state.x ?? state.position ?? 0)));
  svg.append("line").attr("x1", 8).attr("x2", width - 8).attr("y1", floor).attr("y2", floor).attr("stroke", "var(--soft)");
  svg.append("rect").attr("x", place - 17).attr("y", floor - 14).attr("width", 34).attr("height", 14).attr("rx", 3).attr("fill", "var(--soft)");
  const angle = state.theta ?? state.angle ?? 0;
  svg.append("line").attr("x1", place).attr("y1", floor - 14).attr("x2", place + 88 * Math.sin(angle)).attr("y2", floor - 14 - 88 * Math.cos(angle))
    .attr("stroke", colour).attr("stroke-width", 8).attr("stroke-linecap", "round");
}

const drawings = { pendulum, "mountain-car": car, "continuous-mountain-car": car, "cart-pole": pole };

export function can_draw(task) {
  return Object.hasOwn(drawings, task);
}

export function draw_scene(svg, task, state, action, colour, discrete) {
  svg.selectAll("*").remove();
  svg.attr("viewBox", `0 0 ${width} ${height}`);
  drawings[task](svg, state, action, colour, discrete);
}
