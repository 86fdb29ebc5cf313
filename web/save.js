// Every plot can be taken away: the drawing as SVG, its numbers as CSV.

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Colours of the page's style are written into the copy, so that it looks the same anywhere.
export function standalone_svg(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "text-anchor"]) {
      const value = style.getPropertyValue(key);
      if (value && value !== "none" || key === "fill" || key === "stroke") node.setAttribute(key, value);
    }
    node.removeAttribute("style");
    node.removeAttribute("tabindex");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = svg.viewBox.baseVal;
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

export function csv(columns, rows) {
  const cell = (value) => (/[",\n]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

// `table` gives { columns, rows } when it is asked.
export function save_buttons(name, what, svg, table) {
  const box = document.createElement("span");
  box.className = "save";
  const add = (text, kind, action) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small";
    button.textContent = text;
    button.setAttribute("aria-label", `Save ${what} as ${kind}`);
    button.addEventListener("click", action);
    box.append(button);
  };
  add("SVG", "SVG", () => download(`${name}.svg`, "image/svg+xml", standalone_svg(svg())));
  add("CSV", "CSV", () => {
    const { columns, rows } = table();
    download(`${name}.csv`, "text/csv", csv(columns, rows));
  });
  return box;
}
