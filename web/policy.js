// The policy as heat maps over two axes, the others fixed, or over two directions of all, or as polar plots.
import { $, choices } from "./dom.js";
import { plain, with_unit } from "./format.js";
import { make_heatmaps } from "./heatmap.js";
import { path_of } from "./map_marks.js";
import { make_polar } from "./polar.js";
import { plane_words, polar_words, slice_words } from "./captions.js";

const grid_of_map = 64, most_sliders = 6;

export function make_policy(page) {
  const { store } = page;
  const polar_box = document.createElement("div");
  polar_box.className = "panels";
  polar_box.hidden = true;
  $("maps").after(polar_box);
  const maps = make_heatmaps($("maps"), {
    on_pick: pick, on_read: (text) => ($("reading").textContent = text), on_near: (step) => page.episode.go(step),
  });
  const polar = make_polar(polar_box);
  let slice = null, of_plane = false, episode = null, step = 0;
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
    $("fixed-title").textContent = `${movable.length} other dimensions, at first at the mean of visited states`;
    $("fixed-title").hidden = !many;
    $("fixed-box").open = !many;
    $("fixed-box").hidden = movable.length === 0;
    $("fixed-note").hidden = movable.length === others.length;
    $("fixed-note").textContent = `${others.length - movable.length} other dimensions stay at the mean of visited states.`;
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

  const action_axis = () => page.subject.action.axes[store.get().output];
  const other_name = () => page.entry(store.get().beside)?.name;

  function titles() {
    return { teacher: "teacher", embedding: "embedding", other: other_name() ?? "", difference: "difference" };
  }

  function redraw() {
    const { visits, x, y } = store.get();
    if (!slice) return;
    const { axes, playable } = page.subject;
    const paths = of_plane || !episode ? null : Object.fromEntries(Object.entries(episode.played).map(([who, one]) => [who, path_of(one, axes, x, y)]));
    maps.show(slice, {
      visits, step, paths, action: action_axis(), titles: titles(), pickable: playable && !of_plane,
      start: paths?.embedding?.[0] ?? null,
    });
  }

  function show_controls(look) {
    const shown = { "map-only": look === "map", "square-only": look !== "polar" };
    for (const [name, on] of Object.entries(shown)) {
      for (const node of document.querySelectorAll(`.${name}`)) node.hidden = !on;
    }
    $("output-box").hidden ||= page.subject.action.axes.length < 2;
    $("beside-box").hidden ||= $("beside").options.length < 2;
    $("maps").hidden = look === "polar";
    polar_box.hidden = look !== "polar";
    document.querySelector(`input[name="look"][value="${look}"]`).checked = true;
  }

  async function ask_square(look) {
    const { x, y, output, fixed, zoom, beside } = store.get();
    const plane = look === "plane";
    const asked = plane ? { plane: 1, output, n: grid_of_map } : { x, y, output, fixed, zoom: Number(zoom), n: grid_of_map };
    const made = await page.source.slice(page.question(asked));
    const other = beside < 0 ? null : await page.source.slice_beside({ subject: beside, k: page.entry(beside).k, off: [], ...asked });
    return { ...made, other: other?.embedding ?? null };
  }

  function caption(look) {
    const { x, y, zoom } = store.get(), { axes, playable } = page.subject;
    const view = { action: action_axis(), other: other_name(), slice };
    if (look === "polar") return polar_words();
    if (look === "plane") return plane_words(view);
    return slice_words({ ...view, zoom, others: axes.length - new Set([x, y]).size, path: playable });
  }

  async function show() {
    const { look, place } = store.get();
    if (place < 0) return;
    show_controls(look);
    $("reading").textContent = "";
    maps.forget_cursor();
    if (look === "polar") {
      polar.show(await page.source.polar(page.question()));
    } else {
      slice = await ask_square(look);
      of_plane = look === "plane";
      redraw();
    }
    $("view-caption").textContent = caption(look);
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
      const { group, id } = page.entry();
      const rivals = page.view.subjects.filter((one) => one.group === group && one.id !== id);
      choices($("beside"), [[-1, "no other embedding"], ...rivals.map((one) => [one.id, one.name])]);
      $("plane-box").hidden = !page.subject.plane;
    },
    set_episode(start, played) {
      episode = { start, played };
      step = 0;
      if (store.get().look !== "polar") redraw();
    },
    set_step(next) {
      step = next;
      if (slice) maps.show_step(step);
    },
  };
}
