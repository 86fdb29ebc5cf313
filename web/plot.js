// What all plots share: a figure with a title and its buttons, and axes.
import { save_buttons } from "./save.js";

export function make_figure(parent, { title, name, width, height, table }) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const words = document.createElement("span");
  words.textContent = title;
  const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", title);
  caption.append(words, save_buttons(name, title, () => svg.node(), table));
  figure.append(caption, svg.node());
  parent.append(figure);
  return { figure, svg, words };
}

export function draw_axes(svg, { x, y, left, bottom, x_title, y_title, x_ticks = 5, y_ticks = 5, x_format, y_values = null, y_room = 40 }) {
  const [x0, x1] = x.range();
  const [y1, y0] = y.range();
  svg.selectAll("g.axis, text.title").remove();
  const across = svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`);
  across.call(d3.axisBottom(x).ticks(x_ticks, x_format).tickSizeOuter(0).tickSize(4));
  const up = svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`);
  up.call(d3.axisLeft(y).ticks(y_ticks).tickValues(y_values).tickFormat(y_values && String).tickSizeOuter(0).tickSize(4));
  svg.append("text").attr("class", "title").attr("x", (x0 + x1) / 2).attr("y", bottom + 31).attr("text-anchor", "middle").text(x_title);
  svg.append("text").attr("class", "title").attr("transform", `translate(${left - y_room},${(y0 + y1) / 2}) rotate(-90)`)
    .attr("text-anchor", "middle").text(y_title);
}

// A picture of n x n colours, first row at the bottom.
export function pixels(n, colour_of) {
  const canvas = document.createElement("canvas");
  canvas.width = n;
  canvas.height = n;
  const context = canvas.getContext("2d");
  const image = context.createImageData(n, n);
  for (let row = 0; row < n; ++row) {
    for (let column = 0; column < n; ++column) {
      const { r, g, b } = colour_of(row * n + column);
      image.data.set([r, g, b, 255], 4 * ((n - 1 - row) * n + column));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

// 256 colours made once: asking d3 for each of some thousand points is slow.
export function palette(interpolate) {
  const colours = Array.from({ length: 256 }, (_, i) => d3.rgb(interpolate(i / 255)));
  return (share) => colours[Math.max(0, Math.min(255, Math.round(255 * share)))];
}
