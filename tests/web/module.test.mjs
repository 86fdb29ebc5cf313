// The page plays the exported JavaScript: in a report from disk and from a server, and it sees a wrong number.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { changes, close_browser, folder, mercer, move_slider, open_page, serve, source } from "./setup.mjs";

const file = (name) => pathToFileURL(join(folder, name)).href;
const said = (page) => page.locator("#module-text").textContent();
const answered = (page) => changes(async () => (await said(page)) !== "", false, "what is said of the module");
const circles = (page) => page.locator("#action-trace circle.module").evaluateAll((all) =>
  all.map((one) => [Number(one.getAttribute("cx")), Number(one.getAttribute("cy"))]));

before(() => {
  const policies = join(source, "tests/data/policies");
  mercer("embed", "--route", "continuous", "--env", "pendulum", "--policy", join(policies, "pendulum_5000_actor.onnx"), "--k", 10, "--seed", 1, "--episodes", 50, "--out", "small.mercer", "--quiet");
  mercer("embed", "--route", "continuous", "--env", "mountain-car", "--policy", join(policies, "mc_dqn_120000_q.onnx"), "--k", 5, "--seed", 1, "--episodes", 50, "--out", "car.mercer", "--quiet");
  mercer("report", "small.mercer", "car.mercer", "--out", "report.html", "--episodes", 20, "--quiet");
});
after(close_browser);

test("a report plays the module that 'mercer export js' writes, at every step that it holds", async () => {
  const page = await open_page(file("report.html"), { offline: true });
  await answered(page);
  const words = await said(page);
  const found = /^The exported JavaScript, run in this browser, passes its self-test; its actions (?:equal the embedding's|differ from the embedding's by up to (\S+)% of their range) at (\d+) steps of this episode \(circles\)\.$/.exec(words);
  assert.ok(found, words);
  assert.ok(Number(found[1] ?? 0) <= 1e-10, words);  // the file states 1e-12 of the range
  const points = await circles(page);
  assert.equal(points.length, Number(found[2]));
  assert.ok(points.length >= 50 && new Set(points.map(([, y]) => y)).size > 10, "the circles follow the trace");

  // What ran is the file, and what it does is what node makes of it.
  await page.getByLabel("controller.mjs").check();
  mercer("export", "js", "small.mercer", "--out", "web", "--quiet");
  const text = readFileSync(join(folder, "web/controller.mjs"), "utf8");
  assert.equal(await page.locator("#code-text").textContent(), text);
  const { act } = await import(pathToFileURL(join(folder, "web/controller.mjs")).href);
  const carried = JSON.parse(await page.locator("#view").textContent());
  const cases = carried.answers[0].play["10:0"].module;
  for (let i = 0; i < points.length; ++i) {
    assert.ok(Math.abs(act(cases.observations.slice(3 * i, 3 * i + 3))[0] - cases.actions[i]) <= 4e-12);
  }
  // The action of a higher circle is larger.
  const order = points.map(([, y], i) => [y, cases.actions[i]]).sort(([a], [b]) => a - b);
  for (let i = 1; i < order.length; ++i) assert.ok(order[i][1] <= order[i - 1][1] + 1e-9);
  assert.deepEqual(page.troubles, []);

  // Discrete actions, and another size.
  await page.locator("#subject").selectOption({ index: 1 });
  await changes(async () => /chooses the embedding's action at \d+ steps/.test(await said(page)), false, "the discrete module");
  await move_slider(page, "#k", 0);
  await changes(async () => /chooses the embedding's action at \d+ steps/.test(await said(page)), false, "the smallest module");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("a module with a wrong number is seen", async () => {
  const text = readFileSync(join(folder, "report.html"), "utf8");
  const wrong = text.replace(/(const coefficient = \[\\n  \[)(-?)/, (_, before, sign) => before + (sign ? "" : "-"));
  assert.notEqual(wrong, text);
  writeFileSync(join(folder, "wrong.html"), wrong);
  const page = await open_page(file("wrong.html"), { offline: true });
  await move_slider(page, "#k", 0);
  await changes(async () => /fails its self-test in this browser: case 1\./.test(await said(page)), false, "what is said");
  assert.ok(await page.locator("#module-text").evaluate((one) => one.classList.contains("bad")));
  const never = text.replaceAll("export function act(obs) {", "export function act(obs) { throw new Error('no');");
  writeFileSync(join(folder, "never.html"), never);
  const silent = await open_page(file("never.html"), { offline: true });
  await changes(async () => /^The exported JavaScript could not be run: /.test(await said(silent)), false, "what is said");
  await page.context().close();
  await silent.context().close();
});

test("the server's page plays it, where it was clicked", async () => {
  const server = await serve("small.mercer");
  const page = await open_page(server.url);
  await answered(page);
  const former = JSON.stringify(await circles(page));
  assert.match(await said(page), /passes its self-test/);
  await page.getByRole("button", { name: "Another start" }).click();
  await changes(async () => JSON.stringify(await circles(page)), former, "the circles");
  await changes(async () => /passes its self-test/.test(await said(page)), false, "what is said");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
  assert.equal(await server.end(), 0);
});
