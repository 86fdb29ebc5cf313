// The published picture of a policy: every ring is a state, the angle is the action, the colour how likely it is.
import { number, plain } from "./format.js";
import { make_figure, palette } from "./plot.js";

const size = 250, middle = size / 2, inner = 16, outer = 104;
const likely = palette((share) => d3.interpolateYlOrRd(share));
const apart = palette((share) => d3.interpolatePuOr(1 - share));

export function make_polar(parent) {
  let shown = null;
  const grids = {};
  const panels = ["teacher", "embedding", "difference"].map((panel) => {
    const table = () => ({
      columns: ["ring", ...shown.axes.map((axis) => axis.name), "action_from", "action_to", "mass"],
      rows: grids[panel].flatMap((row, ring) => row.map((mass, bin) => [ring, ...shown.states[ring], shown.edges[bin], shown.edges[bin + 1], mass])),
    });
    const made = make_figure(parent, { title: plain(panel), name: `mercer-polar-${panel}`, width: size, height: size + 14, table });
    return { ...made, panel };
  });

  function labels(svg, turn) {
    const low = shown.edges[0], high = shown.edges[shown.edges.length - 1];
    const add = (value, anchor) => {
      const angle = turn(value);
      svg.append("text").attr("x", middle + (outer + 8) * Math.sin(angle)).attr("y", middle - (outer + 8) * Math.cos(angle) + 4)
        .attr("text-anchor", anchor).text(number(value, 2));
    };
    if (shown.count) {
      for (let a = 0; a < shown.count; ++a) add(a, "middle");
    } else {
      add(low + (high - low) / 4, "end");
      add((low + high) / 2, "middle");
      add(low + (3 * (high - low)) / 4, "start");
      svg.append("text").attr("x", middle).attr("y", size).attr("text-anchor", "middle").text(`${number(low, 2)} and ${number(high, 2)}`);
    }
  }

  return {
    show(answer) {
      shown = answer;
      const { edges } = shown;
      const low = edges[0], span = edges[edges.length - 1] - low;
      // The middle of the range is up, its two ends meet below.
      const turn = (value) => ((value - low) / span) * 2 * Math.PI - Math.PI;
      Object.assign(grids, {
        teacher: shown.teacher,
        embedding: shown.embedding,
        difference: shown.teacher && shown.embedding.map((row, r) => row.map((mass, b) => mass - shown.teacher[r][b])),
      });
      const rings = shown.embedding.length, thick = (outer - inner) / rings;
      // Colours follow the root of a mass: squashed policies pile up at the ends of the range and would leave the rest pale.
      const all = [shown.teacher, shown.embedding].filter(Boolean).flat(2).filter((mass) => mass > 0).sort((a, b) => a - b);
      const most = all[Math.floor(0.99 * (all.length - 1))];
      const root = (mass) => Math.sign(mass) * Math.sqrt(Math.min(1, Math.abs(mass) / most));
      for (const { svg, panel, figure } of panels) {
        const grid = grids[panel];
        figure.hidden = !grid;
        svg.selectAll("*").remove();
        if (!grid) continue;
        svg.append("circle").attr("cx", middle).attr("cy", middle).attr("r", outer).attr("fill", panel === "difference" ? "#f7f7f7" : likely(0));
        const arcs = svg.append("g").attr("transform", `translate(${middle},${middle})`);
        grid.forEach((row, r) => row.forEach((mass, b) => {
          const share = panel === "difference" ? 0.5 + root(mass) / 2 : root(mass);
          if (Math.abs(root(mass)) < 1 / 30) return;
          arcs.append("path").attr("fill", (panel === "difference" ? apart : likely)(share)).attr("d", d3.arc()({
            innerRadius: inner + r * thick, outerRadius: inner + (r + 1) * thick + 0.2,
            startAngle: turn(edges[b]), endAngle: turn(edges[b + 1]),
          }));
        }));
        labels(svg, turn);
        svg.attr("aria-label", `${plain(panel)} in polar form: ${rings} states as rings, the action as the angle.`);
      }
    },
  };
}
