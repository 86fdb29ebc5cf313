// Parts of the page that need no browser.
import { test } from "node:test";
import assert from "node:assert/strict";
import { figure_size, figure_words, make_camera, tick_step, unpack_figure } from "../../web/figure.js";
import { FileSource, slice_key } from "../../web/source.js";
import { csv } from "../../web/save.js";
import { make_store } from "../../web/store.js";
import { loss_interval, loss_text, number, percent } from "../../web/format.js";
import { plane_words, polar_words, slice_words } from "../../web/captions.js";
import { nearest_step, path_of } from "../../web/map_marks.js";
import { grid_cells, point_words } from "../../web/grid.js";
import { difference, module_words, split } from "../../web/module.js";
import { warnings_of } from "../../web/outcomes.js";
import { contract_words, level_words, quantity_words, term_words } from "../../web/words.js";

test("numbers are short and unknown ones say so", () => {
  assert.equal(number(0), "0");
  assert.equal(number(-153.4876, 4), "-153.5");
  assert.equal(number(123456), "123456");
  assert.equal(number(0.0000123), "1.23e-5");
  assert.equal(number(null), "unknown");
  assert.equal(percent(1.005), "1.00%");
  assert.equal(loss_text(-3.2), "gains 3.20%");
  assert.equal(loss_text(0.5), "loses 0.50%");
  assert.equal(loss_interval([0.2, 0.9]), "loses 0.20% to 0.90%");
  assert.equal(loss_interval([-1.59, -0.001]), "gains 0.00% to 1.59%");
  assert.equal(loss_interval([-0.1, 0.3]), "from a gain of 0.10% to a loss of 0.30%");
});

test("a module's actions are compared in shares of their range", () => {
  const bounded = { axes: [{ low: -2, high: 2 }], count: 0 }, free = { axes: [{ low: null, high: null }], count: 0 };
  const chosen = { axes: [{ low: 0, high: 2 }], count: 3 };
  assert.deepEqual(split([1, 2, 3, 4], 2), [[1, 2], [3, 4]]);
  assert.equal(difference([[1], [2]], [[1], [1]], bounded), 0.25);
  assert.equal(difference([[1], [9]], [[1], [10]], free), 0.1);
  assert.equal(difference([0, 2, 1], [[0], [1], [1]], chosen), 1);
  assert.match(module_words(0, 0, 7, chosen), /chooses the embedding's action at 7 steps of this episode\.$/);
  assert.match(module_words(0, 2, 7, chosen), /chooses another action than the embedding at 2 of 7 steps of this episode\.$/);
  assert.match(module_words(0, 0.25, 100, bounded), /differ from the embedding's by up to 2\.5e\+1% of their range at 100 steps/);
  assert.match(module_words(3, 0, 7, bounded), /fails its self-test in this browser: case 3\./);
});

test("CSV quotes what must be quoted", () => {
  assert.equal(csv(["a", "b"], [[1, 'x "y", z'], [null, 2]]), 'a,b\n1,"x ""y"", z"\n,2\n');
});

test("a store tells only those whose keys changed, once", () => {
  const store = make_store({ a: 1, b: 2 });
  const heard = [];
  store.on(["a"], () => heard.push("a"));
  store.on(["a", "b"], () => heard.push("ab"));
  store.set({ b: 3 });
  store.set({ a: 1, b: 3 });
  store.set({ a: 2, b: 4 });
  assert.deepEqual(heard, ["ab", "a", "ab"]);
});

test("slices are found by the nearest stored place", () => {
  assert.equal(slice_key([[0], [0], [-1, 0, 1]], 0, 1, 0, [5, 5, 0.4]), "0,1,0:-.-.1");
  assert.equal(slice_key([[0, 1], [0], [0]], 1, 2, 3, [0.9, 0, 0]), "1,2,3:1.-.-");
  assert.equal(slice_key([[0, 1], [0], [0]], 1, 2, 3, [0.9, 0, 0], true), "1,2,3:1.-.-z");
});

const document_ = {
  view: { subjects: [] },
  arrays: [[1, 2, 3, 4], [5, 6, 7, 8], [9]],
  subjects: [{ window: [[0, 1], [0, 1]] }],
  answers: [{
    positions: [[0], [0]],
    slice: { "0,1,0:-.-": { n: 2, x: { name: "a" }, y: { name: "b" }, teacher: { array: 0 }, visits: null, embedding: { 3: { array: 1 } } } },
    starts: [[0.1, 0.1], [0.9, 0.9]],
    teacher_play: [{ states: { array: 2 } }, { states: { array: 2 } }],
    play: { "3:0": { start: [0.1, 0.1] }, "3:1": { start: [0.9, 0.9] } },
  }],
};

test("a report answers with its arrays, turned where axes are swapped", async () => {
  const source = new FileSource(document_);
  const straight = await source.slice({ subject: 0, k: 3, x: 0, y: 1, output: 0, fixed: [0, 0] });
  assert.deepEqual(straight.embedding, [5, 6, 7, 8]);
  const turned = await source.slice({ subject: 0, k: 3, x: 1, y: 0, output: 0, fixed: [0, 0] });
  assert.deepEqual(turned.teacher, [1, 3, 2, 4]);
  assert.equal(turned.x.name, "b");
  await assert.rejects(source.slice({ subject: 0, k: 4, x: 0, y: 1, output: 0, fixed: [0, 0] }), /does not hold/);
  await assert.rejects(source.evaluate({ subject: 0, k: 3 }), /mercer serve/);
});

test("a report plays the nearest start it holds", async () => {
  const source = new FileSource(document_);
  const played = await source.play({ subject: 0, k: 3, start: [0.7, 0.8] });
  assert.deepEqual(played.start, [0.9, 0.9]);
  assert.ok(played.snapped);
  assert.deepEqual((await source.play({ subject: 0, k: 3, start: null, another: 2 })).start, [0.1, 0.1]);
});

test("codes become words", () => {
  assert.equal(quantity_words("discounted_return"), "discounted return");
  assert.equal(quantity_words("return_in_model"), "return in the model");
  assert.equal(quantity_words("of_tomorrow"), "of_tomorrow");
  assert.equal(level_words("exact", "return"), "computed");
  assert.match(level_words("exact", "return_in_model"), /estimated model of the task, not in the task/);
  assert.match(level_words("model", "return_in_model"), /estimated model, not in the task/);
  assert.equal(term_words({ term: "B2'_T", level: "rigorous" }), term_words({ term: "B2", level: "rigorous" }));
  assert.match(term_words({ term: "paper_alpha", level: "paper" }), /published formula/);
});

test("a grid is drawn over the two parameters with most values, each cell its worst point", () => {
  const points = [];
  for (const noise of [0, 0.05]) {
    for (const m of [0.8, 1, 1.2]) {
      for (const delay of [0, 1, 2, 3]) points.push({ values: [noise, m, delay], upper_percent: m + delay - noise });
    }
  }
  const grid = { names: ["noise", "m", "delay"], points };
  const { x, y, x_values, y_values, points: shown } = grid_cells(grid);
  assert.deepEqual([grid.names[x], grid.names[y], x_values, y_values], ["delay", "m", [0, 1, 2, 3], [0.8, 1, 1.2]]);
  assert.equal(shown.length, 12);
  for (const point of shown) {
    const rivals = points.filter((one) => one.values[x] === point.values[x] && one.values[y] === point.values[y]);
    assert.equal(point.upper_percent, Math.max(...rivals.map((one) => one.upper_percent)));
  }
  assert.equal(point_words(grid, points[5]), "noise=0, m=1, delay=1");
  Object.assign(points[3], { upper_percent: null, upper_return: 30, teacher_return: -100 });
  assert.ok(grid_cells(grid).points.includes(points[3]), "30 of 100 is the largest bound");
  points[15].upper_percent = null;
  points[15].upper_return = null;
  assert.ok(grid_cells(grid).points.includes(points[15]), "nothing is worse than a point without a bound");
});

test("a grid of one parameter has one axis", () => {
  const grid = { names: ["g"], points: [8, 9, 10].map((g) => ({ values: [g], upper_percent: g })) };
  assert.deepEqual(grid_cells(grid), { x: 0, y: null, x_values: [8, 9, 10], y_values: [], points: grid.points });
});

test("warnings are those that the answer carries", () => {
  assert.deepEqual(warnings_of([{ warning: "" }, { warning: "Fails in 8% of the episodes; the teacher does not." }]), ["Fails in 8% of the episodes; the teacher does not."]);
});

// A stick of a metre that stands on the ground and moves `pace` centimetres to the right and `rise` up in each frame, over
// a floor that is shown in the first frame and a pole that appears later.
const standing = (pace, rise = 0, frames = 11) => unpack_figure({
  views: ["side"], coordinates: "xz", unit: 0.01, radii: [0.05], first: [0, 5, 0, 105],
  changes: Array.from({ length: frames - 1 }, () => [pace, rise, pace, rise]).flat(),
  fixed: { ends: [-900, 0, 900, 0, 300, 0, 300, 50], radii: [0, 0.01], frames: [0, frames - 1, 4, frames - 1] },
});

test("a packed figure comes apart into sticks of every frame", () => {
  const figure = standing(50);
  assert.equal(figure.frames.length, 11);
  assert.deepEqual(figure.frames[0], [{ x: [0, 0], z: [0.05, 1.05] }]);
  assert.deepEqual(figure.frames[10], [{ x: [5, 5], z: [0.05, 1.05] }]);
  assert.deepEqual(figure.around.map(({ from, to }) => [from, to]), [[0, 10], [4, 10]]);
  assert.deepEqual(figure_size(figure), { width: 368, height: 200 });
  assert.equal(figure_words(figure, 4), "stick figure of 1 parts seen from the side, its middle at x 2 m, z 0.55 m");
  assert.equal(figure_words(figure, 99), figure_words(figure, 10), "an episode that ended stays at its last frame");
  const both = unpack_figure({ views: ["side", "above"], coordinates: "xyz", unit: 1, radii: [0], first: [1, 2, 3, 4, 5, 6], changes: [], fixed: { ends: [], radii: [], frames: [] } });
  assert.deepEqual(both.frames, [[{ x: [1, 4], y: [2, 5], z: [3, 6] }]]);
  assert.equal(figure_size(both).width, 520);
});

test("a camera follows a runner, stands still for what stays, and shows a whole flight", () => {
  const runs = make_camera([standing(50), standing(1)], "side");
  assert.deepEqual(runs.follow, { x: true, z: false });
  assert.equal(runs.ground, 0);
  const stays = make_camera([standing(2)], "side");
  assert.deepEqual(stays.follow, { x: false, z: false });
  assert.ok(Math.abs(stays.still.x - (3.01 - 0.05) / 2) < 1e-9, "the pole is to be seen, too");
  const flies = make_camera([standing(50, 50)], "side");
  assert.deepEqual([flies.flies, flies.follow, flies.ground], [true, { x: false, z: false }, 0]);
  assert.ok(flies.scale < stays.scale / 2, "the whole flight is smaller");
  assert.deepEqual(make_camera([standing(500, 500)], "side").follow, { x: true, z: true });
});

test("ticks are 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([0.7, 1, 1.5, 3, 60].map(tick_step), [1, 1, 2, 5, 100]);
});

test("a report says what it holds of axes and actions", () => {
  const source = new FileSource(document_);
  assert.deepEqual(source.held(0), { axes: new Set([0, 1]), outputs: new Set([0]) });
  assert.deepEqual(source.places(0, 1), [0]);
});

test("a contract says what goes in and comes out, in which units and how often", () => {
  const theta = { name: "theta", unit: "rad" }, torque = { name: "torque", unit: "N m", range: [-2, 2] };
  assert.equal(contract_words({ observation: { axes: [theta, { name: "omega", unit: "rad/s" }] }, action: { count: 0, axes: [torque] }, dt: 0.02 }),
    "Takes theta (rad), omega (rad/s); gives torque (N m) -2 to 2; one action every 0.02 s.");
  assert.equal(contract_words({ observation: { axes: Array(14).fill(theta) }, action: { count: 3, axes: [torque] }, dt: 0 }),
    `Takes ${Array(12).fill("theta (rad)").join(", ")} and 2 more; gives one of 3 actions.`);
});

test("an episode is a path on the map, with angles in one turn, and its nearest step is found", () => {
  const axes = [{ name: "theta", angle: true }, { name: "speed", angle: false }];
  const path = path_of({ states: [3, 0, 4, 1, -4, 20] }, axes, 0, 1);
  assert.deepEqual(path.map(([x]) => Number(x.toFixed(6))), [3, Number((4 - 2 * Math.PI).toFixed(6)), Number((2 * Math.PI - 4).toFixed(6))]);
  assert.deepEqual(path.map(([, y]) => y), [0, 1, 20], "what is no angle stays");
  const shown = { x: { low: -3, high: 3 }, y: { low: 0, high: 20 } };
  assert.equal(nearest_step(path, [2.9, 0.2], shown), 0);
  assert.equal(nearest_step(path, [0, 10], shown), null, "nothing is near");
});

test("captions follow the view", () => {
  const action = { name: "torque", unit: "N m" };
  const slice = { x: { name: "theta", unit: "rad" }, y: { name: "speed", unit: "rad/s" }, visits: [1], teacher: [0] };
  assert.equal(slice_words({ action, slice, zoom: false, others: 0, path: false }),
    "Mean torque (N m) over theta (rad) and speed (rad/s), over the whole range. Difference: the embedding's less the teacher's. Contours: where the teacher is a tenth, a hundredth and a thousandth as often as at its most visited place.");
  assert.match(slice_words({ action, slice, zoom: true, others: 1, path: true, other: "b.mercer" }),
    /, with b\.mercer next to it, zoomed to where 98% of the visited states are; 1 other dimension fixed, at first at the mean of visited states\. Difference: the embedding's less that of b\.mercer\. Contours.* Lines: the episode above/);
  const plane = { x: { name: "direction 1", unit: "standard deviations", words: "0.8 speed" }, y: { name: "direction 2", unit: "standard deviations", words: "1 theta" }, share: 0.914 };
  assert.match(plane_words({ action, slice: plane }), /\(91% of its mean squared slope\)\. Direction 1: 0\.8 speed\. Direction 2: 1 theta\./);
  assert.match(polar_words(), /^Each ring is a state/);
});

test("planes are held for each action", async () => {
  const source = new FileSource({ ...document_, answers: [{ ...document_.answers[0], plane: { 1: { n: 2, teacher: { array: 0 }, embedding: { 3: { array: 1 } } } } }] });
  assert.deepEqual((await source.slice({ subject: 0, k: 3, plane: 1, output: 1 })).embedding, [5, 6, 7, 8]);
  await assert.rejects(source.slice({ subject: 0, k: 3, plane: 1, output: 0 }), /mercer serve/);
});
