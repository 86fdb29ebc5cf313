// Robots as stick figures, and a state of many dimensions.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { changes, check_accessibility, close_browser, folder, map_picture, mercer, move_slider, open_page, screenshots, serve, settled, source } from "./setup.mjs";

const file = (name) => pathToFileURL(join(folder, name)).href;
let server, page;

before(async () => {
  mercer("embed", "--route", "continuous", "--env", "quadrotor", "--policy", join(source, "tests/data/policies/physics/quadrotor.safetensors"), "--degree", 1, "--k", 14, "--rollouts", 40, "--seed", 1, "--out", "quadrotor.mercer", "--quiet");
  server = await serve("quadrotor.mercer");
  page = await open_page(server.url, { height: 1200 });
});
after(async () => {
  await close_browser();
  assert.equal(await server.end(), 0);
});

const label = (of, one = 0) => of.locator("#scenes svg").nth(one).getAttribute("aria-label");
const places = (of, what) => of.locator(`#scenes svg >> nth=0 >> ${what}`).evaluateAll((nodes) => nodes.map((node) => ["x1", "y1", "x2", "y2"].map((key) => Number(node.getAttribute(key))).join(" ")).join("; "));

test("both fly, from the side and from above, and the picture has words", async () => {
  assert.equal(await page.locator("#scenes svg").count(), 2);
  for (const one of [0, 1]) {
    const svg = page.locator("#scenes svg").nth(one);
    assert.equal(await svg.locator("g.view.side line.stick").count(), 10);
    assert.equal(await svg.locator("g.view.above line.stick").count(), 10);
    assert.equal(await svg.locator("g.view.above line.fixed").count(), 3, "the goal is drawn");
    assert.ok(await svg.locator("g.view.side line.tick").count() >= 2);
  }
  assert.match(await label(page), /^teacher playing quadrotor: stick figure of 10 parts seen from the side and from above, its middle at x -?[\d.e-]+ m, y -?[\d.e-]+ m, z -?[\d.e-]+ m$/);
  assert.match(await label(page, 1), /^embedding playing quadrotor: /);
  const former = { sticks: await places(page, "g.view.side line.stick"), words: await label(page) };
  await move_slider(page, "#scrub", 25);
  assert.notEqual(await places(page, "g.view.side line.stick"), former.sticks);
  assert.notEqual(await label(page), former.words);
  await page.locator("#episode").screenshot({ path: join(screenshots, "figure-quadrotor.png") });
});

test("it plays, and the keyboard steps it", async () => {
  const former = await label(page);
  await page.getByRole("button", { name: "Play" }).focus();
  await page.keyboard.press("Enter");
  await changes(() => label(page), former, "the figure");
  await page.keyboard.press("Enter");
  const paused = await places(page, "g.view.side line.stick");
  await page.getByRole("button", { name: "One step back" }).focus();
  await page.keyboard.press("Enter");
  assert.notEqual(await places(page, "g.view.side line.stick"), paused);
});

test("a state of seventeen dimensions has maps, sliders and traces", async () => {
  const axes = await page.locator("#axis-x option").allTextContents();
  assert.equal(axes.length, 17);
  assert.match(await page.locator("#fixed-title").textContent(), /^15 other dimensions/);
  assert.ok(await page.locator("#fixed input").first().isHidden(), "many sliders wait until they are wanted");
  await page.locator("#fixed-title").click();
  assert.equal(await page.locator("#fixed input:visible").count(), 15);
  const former = await map_picture(page, 2);
  await page.locator("#axis-y").selectOption({ label: "pitch rate" });
  const other = await changes(() => map_picture(page, 2), former, "the map");
  await move_slider(page, "#fixed input >> nth=0", 1.5);
  await changes(() => map_picture(page, 2), other, "the map");
  assert.equal(await page.locator("#action-trace figure").count(), 1);
  await page.getByText("20 more traces").click();
  await changes(() => page.locator("#traces figure").count(), 0, "the traces");
  assert.equal(await page.locator("#traces figure").count(), 20);
  assert.match(await page.locator("#start-text").textContent(), /and 9 more\. Return/);
  await page.getByLabel("polar plot").check();
  await settled(page);
  await page.getByLabel("heat map").check();
  await settled(page);
  assert.ok(await page.locator("#trouble").isHidden());
});

test("the trace follows the chosen action, and the directions that matter have words", async () => {
  const title = () => page.locator("#action-trace figcaption span").first().textContent();
  const former = await title();
  await page.locator("#output").selectOption({ index: 1 });
  await changes(title, former, "the trace");
  await settled(page);
  const picture = await map_picture(page, 2);
  await page.getByLabel("directions that matter").check();
  await settled(page);
  assert.notEqual(await map_picture(page, 2), picture);
  assert.match(await page.locator("#view-caption").textContent(), /the two directions along which the action changes most where the teacher goes \(\d+% of its mean squared slope\)\. Direction 1: -?[\d.]+ \w+/);
  assert.ok(await page.locator("#axis-x").isHidden() && await page.locator("#output").isVisible());
  await page.getByLabel("heat map").check();
  await settled(page);
  assert.match(await page.locator("#view-caption").textContent(), /15 other dimensions fixed, at first at the mean of visited states/);
});

test("light and dark have no serious accessibility problem", async () => {
  await check_accessibility(page, "figure");
  await page.locator("#theme").click();
  await check_accessibility(page, "figure, dark");
  await page.locator("#theme").click();
  assert.deepEqual(page.troubles, []);
});

// A report whose robot was made to run: half a metre to the right in each frame.
function running(name) {
  const text = readFileSync(join(folder, "quadrotor.html"), "utf8");
  const [whole, json] = /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(text);
  const carried = JSON.parse(json);
  for (const array of carried.arrays) {
    if (!array.changes) continue;
    array.changes = array.changes.map((_, i) => (i % 3 === 0 ? Math.round(0.5 / array.unit) : 0));
  }
  writeFileSync(join(folder, name), text.replace(whole, () => whole.replace(json, () => JSON.stringify(carried).replaceAll("<", "\\u003c"))));
  return file(name);
}

test("a report carries figures; the camera follows a runner over moving ticks", async () => {
  mercer("report", "quadrotor.mercer", "--out", "quadrotor.html", "--episodes", 20, "--quiet");
  const bytes = readFileSync(join(folder, "quadrotor.html")).length;
  assert.ok(bytes < 12e6, `${bytes} bytes`);
  const still = await open_page(file("quadrotor.html"), { offline: true });
  assert.equal(await still.locator("#axis-x option").count(), 6, "axes that the report holds");
  assert.match(await still.locator("#fixed-note").textContent(), /^15 other dimensions stay/);
  assert.equal(await still.locator("g.view.above line.stick").count(), 20);
  assert.deepEqual(still.troubles, []);
  await still.context().close();
  const shown = await open_page(running("running.html"), { offline: true });
  const former = { ticks: await places(shown, "g.view.side line.tick"), text: await shown.locator("#scenes g.view.side text").allTextContents() };
  await move_slider(shown, "#scrub", 3);
  assert.notEqual(await places(shown, "g.view.side line.tick"), former.ticks, "ticks move below the robot");
  await move_slider(shown, "#scrub", 30);
  assert.notDeepEqual(await shown.locator("#scenes g.view.side text").allTextContents(), former.text, "and count metres");
  const middles = await shown.locator("#scenes svg >> nth=0 >> g.view.side line.stick").evaluateAll((nodes) => nodes.flatMap((node) => [Number(node.getAttribute("x1")), Number(node.getAttribute("x2"))]));
  assert.ok(Math.abs(middles.reduce((sum, x) => sum + x, 0) / middles.length - 130) < 1, "the robot stays in the middle");
  assert.deepEqual(shown.troubles, []);
  await shown.context().close();
});

test("a phone has room for figures", async () => {
  const phone = await open_page(file("quadrotor.html"), { width: 390, height: 844, offline: true });
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 390);
  await phone.locator("#scenes").screenshot({ path: join(screenshots, "figure-phone.png") });
  assert.deepEqual(phone.troubles, []);
  await phone.context().close();
});
