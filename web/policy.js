// The policy as heat maps over two axes, the others fixed, or as polar plots.
import { $, choices } from "./dom.js";
import { plain, with_unit } from "./format.js";
import { make_heatmaps } from "./heatmap.js";
import { make_polar } from "./polar.js";

const grid_of_map = 64, most_sliders = 6;

export function make_policy(page) {
  const { store } = page;
  const polar_box = document.createElement("div");
  polar_box.className = "panels";
  polar_box.hidden = true;
  $("maps").after(polar_box);
  const maps = make_heatmaps($("maps"), { on_pick: pick, on_read: (text) => ($("reading").textContent = text) });
  const polar = make_polar(polar_box);
  let slice = null, episode_start = null;
  $("axis-x").addEventListener("change", (event) => set_axes(Number(event.target.value), store.get().y));
  $("axis-y").addEventListener("change", (event) => set_axes(store.get().x, Number(event.target.value)));

  function pick(x_value, y_value) {
    if (!page.subject.playable) return;
    const { fixed, x, y } = store.get();
    const start = [...fixed];
    start[x] = x_value;
    start[y] = y_value;
    store.set({ start });
  }

  function set_axes(x, y) {
    const former = store.get();
    if (x === y) {
      // Choosing the other one's axis swaps them.
      if (x === former.x) y = x, x = former.y;
      else y = former.x;
    }
    store.set({ x, y });
    set_controls();
  }

  function set_controls() {
    const { x, y, fixed, subject } = store.get();
    $("axis-x").value = String(x);
    $("axis-y").value = String(y);
    const others = page.subject.axes.map((_, d) => d).filter((d) => d !== x && d !== y);
    const movable = others.filter((d) => page.source.places(subject, d)?.length !== 1);
    $("fixed").replaceChildren(...movable.map((d) => fixed_slider(page.subject.axes[d], d, fixed[d])));
    // Sliders of many dimensions wait until they are wanted; a report has none for what it holds at one place alone.
    const many = movable.length > most_sliders;
    $("fixed-title").textContent = `${movable.length} other dimensions, at first at the median of visited states`;
    $("fixed-title").hidden = !many;
    $("fixed-box").open = !many;
    $("fixed-box").hidden = movable.length === 0;
    $("fixed-note").hidden = movable.length === others.length;
    $("fixed-note").textContent = `${others.length - movable.length} other dimensions stay at the median of visited states.`;
  }

  // Values between which a report holds nothing are not offered.
  function fixed_slider(axis, d, value) {
    const stored = page.source.places(store.get().subject, d);
    const [low, high] = page.subject.window[d];
    const label = document.createElement("label"), text = document.createElement("span"), input = document.createElement("input");
    text.textContent = with_unit(value, axis);
    input.type = "range";
    Object.assign(input, stored ? { min: 0, max: stored.length - 1, step: 1 } : { min: low, max: high, step: (high - low) / 100 });
    input.value = stored ? stored.findIndex((one) => Math.abs(one - value) === Math.min(...stored.map((o) => Math.abs(o - value)))) : value;
    input.addEventListener("input", () => {
      const fixed = [...store.get().fixed];
      fixed[d] = stored ? stored[Number(input.value)] : Number(input.value);
      text.textContent = with_unit(fixed[d], axis);
      store.set({ fixed });
    });
    label.append(`${plain(axis.name)} fixed at`, text, input);
    return label;
  }

  function redraw() {
    const { visits, x, y } = store.get();
    if (!slice) return;
    maps.show(slice, { visits, start_at: episode_start ? [episode_start[x], episode_start[y]] : null });
  }

  async function show() {
    const { look, x, y, output, fixed, place } = store.get();
    if (place < 0) return;
    const map = look === "map";
    $("maps").hidden = !map;
    polar_box.hidden = map;
    for (const node of document.querySelectorAll(".map-only")) node.hidden = !map || (node.id === "output-box" && page.subject.action.axes.length < 2);
    if (map) {
      slice = await page.source.slice(page.question({ x, y, output, fixed, n: grid_of_map }));
      redraw();
    } else {
      polar.show(await page.source.polar(page.question()));
      $("reading").textContent = "Each ring is a state that the teacher visits, in the order of its mean action; the angle is the action.";
    }
  }

  return {
    redraw,
    set_controls,
    show: () => page.ask(show),
    offer_axes() {
      const { axes, action } = page.subject;
      const held = page.source.held(store.get().subject);
      const names = (all, some) => all.map((axis, d) => [d, plain(axis.name)]).filter(([d]) => !some || some.has(d));
      choices($("axis-x"), names(axes, held?.axes));
      choices($("axis-y"), names(axes, held?.axes));
      choices($("output"), names(action.axes, held?.outputs));
      $("output-box").hidden = action.axes.length < 2;
    },
    set_start(start) {
      episode_start = start;
      redraw();
    },
  };
}
