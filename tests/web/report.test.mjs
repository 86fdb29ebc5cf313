// A report from disk, with the network off.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { changes, check_accessibility, close_browser, folder, make_embeddings, map_picture, mercer, move_slider, open_page, screenshots, settled, tile } from "./setup.mjs";

const file = (name) => pathToFileURL(join(folder, name)).href;
let page;

before(async () => {
  make_embeddings();
  mercer("report", "small.mercer", "results", "--out", "report.html", "--episodes", 200, "--quiet");
  mercer("report", "car.mercer", "--out", "car.html", "--episodes", 50, "--quiet");
  mercer("report", "pole.mercer", "--out", "pole.html", "--episodes", 20, "--quiet");
  page = await open_page(file("report.html"), { offline: true });
});
after(close_browser);

test("keeps D3's licence line and asks nobody", () => {
  const text = readFileSync(join(folder, "report.html"), "utf8");
  assert.match(text, /https:\/\/d3js\.org v5\S* Copyright \d+ Mike Bostock/);
  assert.doesNotMatch(text, /<(script|link|img)[^>]*(src|href)="https?:/);
  assert.match(text, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
});

test("the slider changes figures, map and code", async () => {
  const former = { bytes: await tile(page, "Payload"), loss: await tile(page, "Against its teacher"), map: await map_picture(page, 2), teacher: await map_picture(page, 1), code: await page.locator("#code-text").textContent() };
  await move_slider(page, "#k", 0);
  await changes(() => tile(page, "Payload"), former.bytes, "the payload");
  await changes(() => tile(page, "Against its teacher"), former.loss, "the loss");
  await changes(() => map_picture(page, 2), former.map, "the map");
  await changes(() => page.locator("#code-text").textContent(), former.code, "the code");
  assert.equal(await map_picture(page, 1), former.teacher, "the teacher does not depend on the size");
  assert.match(await page.locator("#k-text").textContent(), /^1 of 10/);
});

test("bytes and terms are two names of one slider", async () => {
  await page.getByLabel("bytes", { exact: true }).check();
  assert.match(await page.locator("#k-text").textContent(), /of \d+ bytes/);
  await page.getByLabel("terms", { exact: true }).check();
});

test("the player plays, steps and scrubs", async () => {
  const text = () => page.locator("#step-text").textContent();
  const first = await text();
  await page.getByRole("button", { name: "Play" }).click();
  await changes(text, first, "the step");
  await page.getByRole("button", { name: "Pause" }).click();
  const paused = await text();
  await page.getByRole("button", { name: "One step on" }).click();
  assert.notEqual(await text(), paused);
  await move_slider(page, "#scrub", 150);
  assert.match(await text(), /^step 150 of/);
  assert.equal(await page.locator("#scenes svg").count(), 2);
});

test("a click on the map starts an episode there", async () => {
  const text = () => page.locator("#start-text").textContent();
  const former = await text();
  await page.locator("#maps svg").first().click({ position: { x: 80, y: 40 } });
  const now = await changes(text, former, "the start");
  assert.match(now, /nearest start that the report holds/);
  await page.getByRole("button", { name: "Another start" }).click();
  await changes(text, now, "the start");
});

test("the map can be read and used with the keyboard", async () => {
  const map = page.locator("#maps svg").nth(1);
  await map.focus();
  await page.keyboard.press("ArrowLeft");
  const first = await page.locator("#reading").textContent();
  assert.match(first, /theta .*speed .*teacher .*embedding/);
  for (let i = 0; i < 6; ++i) await page.keyboard.press("ArrowUp");
  assert.notEqual(await page.locator("#reading").textContent(), first);
  const former = await page.locator("#start-text").textContent();
  await page.keyboard.press("Enter");
  await changes(() => page.locator("#start-text").textContent(), former, "the start");
});

test("the polar plot, other axes and other embeddings are in the file", async () => {
  await page.getByLabel("polar plot").check();
  assert.ok(await page.locator("#policy .panels:not([hidden]) path").count() > 100);
  await page.getByLabel("heat map").check();
  const former = await map_picture(page, 1);
  await page.locator("#axis-x").selectOption({ label: "speed" });
  await changes(() => map_picture(page, 1), former, "the map");
  assert.equal(await page.locator("#axis-y").inputValue(), "0", "choosing the other axis swaps them");
  const summary = await page.locator("#summary").textContent();
  await page.locator("#subject").selectOption({ index: 1 });
  await changes(() => page.locator("#summary").textContent(), summary, "the embedding");
  assert.match(await page.locator("#certificate-body").textContent(), /Guaranteed, with 95% confidence|There is no certificate/);
});

test("the front shows what was tried and the alternatives, and a click switches", async () => {
  const plot = page.locator("#front-plot");
  assert.match(await plot.textContent(), /tree of depth 8/);
  assert.match(await plot.textContent(), /teacher's file/);
  const spots = plot.getByRole("button", { name: /^Show / });
  const former = await page.locator("#subject").inputValue();
  const count = await spots.count();
  assert.ok(count >= 2);
  for (let i = 0; i < count && (await page.locator("#subject").inputValue()) === former; ++i) {
    await spots.nth(i).focus();
    await page.keyboard.press("Enter");
    await settled(page);
  }
  assert.notEqual(await page.locator("#subject").inputValue(), former);
});

test("every plot saves as SVG and CSV", async () => {
  await page.locator("#subject").selectOption({ index: 0 });
  await settled(page);
  const names = await page.getByRole("button", { name: /^Save .* as (SVG|CSV)$/ }).evaluateAll((buttons) => buttons.filter((one) => one.checkVisibility()).map((one) => one.getAttribute("aria-label")));
  assert.ok(names.length >= 2 * (3 + 2 + 3 + 1), `only ${names.length} buttons`);
  for (const [name, check] of [["Save teacher as CSV", /^theta,speed,teacher,visits\n-?\d/], ["Save difference as SVG", /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/], ["Save Bytes against loss of return as CSV", /^name,kind,bytes/], ["Save torque as SVG", /<path/]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
    assert.match(readFileSync(await download.path(), "utf8"), check, name);
  }
});

test("what needs a server says so", async () => {
  assert.ok(await page.locator("#measure").isDisabled());
  assert.match(await page.locator("#measure").textContent(), /needs mercer serve/);
  assert.match(await page.locator("#terms-note").textContent(), /needs 'mercer serve'/);
});

// A report whose certificate was changed: what the page makes of it is under test here, not who wrote it.
function report_with(name, change) {
  const text = readFileSync(join(folder, "report.html"), "utf8");
  const [whole, json] = /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(text);
  const carried = JSON.parse(json);
  const certified = carried.subjects.findIndex((subject) => subject.certificate);
  change(carried.subjects[certified].certificate);
  carried.view.chosen = carried.subjects[certified].id;
  writeFileSync(join(folder, name), text.replace(whole, () => whole.replace(json, () => JSON.stringify(carried).replaceAll("<", "\\u003c"))));
  return file(name);
}

test("tiles and certificate put the teacher beside the embedding", async () => {
  const carried = JSON.parse(/<script type="application\/json" id="view">(.*?)<\/script>/s.exec(readFileSync(join(folder, "report.html"), "utf8"))[1]);
  await page.locator("#subject").selectOption({ index: 0 });
  await settled(page);
  await move_slider(page, "#k", carried.subjects[0].sizes.length - 1);
  await settled(page);
  const { outcomes } = Object.values(carried.answers[0].evaluate).at(-1);
  const names = { roughness: "Roughness", saturation: "Saturation", effort: "Effort", reversals: "Reversals", distance: "Distance of actions" };
  assert.deepEqual(outcomes.map(({ code }) => code), ["return", ...Object.keys(names)]);
  for (const { code, teacher, embedding, warning } of outcomes.slice(1)) {
    const shown = await tile(page, names[code]);
    assert.ok(shown.startsWith(embedding) && shown.includes(teacher), `${shown}: ${embedding} beside ${teacher}`);
    assert.equal((await page.locator("#warnings").textContent()).includes(warning), true);
  }
  assert.equal(await page.locator("#warnings p").count(), outcomes.filter(({ warning }) => warning).length);
  assert.match(await page.locator("#tiles").textContent(), /95% interval: (loses|gains|from a gain of) \d/);
});

test("what is far above the teacher's is said in a sentence", async () => {
  const shown = await open_page(report_with("rough.html", (certificate) => {
    certificate.outcomes = [{ code: "return", words: "return", teacher: "-150", embedding: "-151", warning: "" },
      { code: "roughness", words: "roughness", teacher: "0.75%", embedding: "56.8%", warning: "Changes the action by 56.8% of its range from step to step, the teacher by 0.75%." }];
    certificate.promises = certificate.promises.filter(({ about }) => about !== "roughness");
    certificate.promises.push({ about: "roughness", words: "roughness, above 1.25 times the teacher's", teacher: 0.0075, embedding: 0.568, measured: 0.559, upper: 0.561201, alone: 0.56, budget: 0.005, factor: 1.25, kept: false });
  }), { offline: true });
  const body = shown.locator("#certificate-body");
  assert.match(await body.locator("p.warning").textContent(), /^Changes the action by 56\.8%/);
  assert.match(await body.getByRole("row", { name: "roughness, above 1.25 times the teacher's" }).textContent(), /0\.75%56\.80%55\.90%56\.1201%0\.50%not kept$/);
  assert.match(await body.getByRole("region", { name: "Teacher and embedding" }).textContent(), /roughness0\.75%56\.8%/);
  assert.equal(await body.locator("figure.grid-map").count(), 0, "nothing is drawn without a grid");
  await check_accessibility(shown, "rough");
  assert.deepEqual(shown.troubles, []);
  await shown.context().close();
});

test("a perturbed grid has a table and a map that name the worst point", async () => {
  const motion = { teacher: { roughness: 0.01, saturation: 0, effort: 0.1, reversals: 0 }, embedding: { roughness: 0.02, saturation: 0, effort: 0.1, reversals: 0 } };
  const points = [0.8, 1, 1.2].flatMap((m) => [0, 0.05].flatMap((noise) => [0, 1].map((delay) => ({
    values: [m, noise, delay], teacher_return: -150, loss_return: 3, loss_percent: m, upper_return: 5, upper_percent: m + 2 * delay + 10 * noise, motion, teacher_failures: null, failures: null,
  }))));
  const shown = await open_page(report_with("grid.html", (certificate) => {
    certificate.grid = { names: ["m", "noise", "delay"], ranges: [[0.8, 1.2], [0, 0.05], [0, 1]], points, episodes: 500, confidence: 0.95, worst: 11 };
  }), { offline: true });
  const map = shown.locator("figure.grid-map svg");
  assert.equal(await map.getAttribute("aria-label"), "Loses at most, in percent of the teacher's mean return, over m and noise (worst over delay). Worst: m=1.2, noise=0.05, delay=1, 3.70%.");
  assert.deepEqual(await map.locator("g.cell text").allTextContents(), [0.8, 1, 1.2].flatMap((m) => [m + 2, m + 2.5].map((bound) => `${bound.toFixed(2)}%`)));
  assert.equal(await map.locator("g.cell rect[stroke='var(--ink)']").count(), 1);
  const rows = shown.getByRole("region", { name: "Perturbed tasks" }).locator("tbody tr");
  assert.equal(await rows.count(), 12);
  assert.match(await shown.locator("tr.worst").textContent(), /^m=1\.2, noise=0\.05, delay=1 \(worst\)-1501\.20%3\.70%1\.00%2\.00%$/);
  const [download] = await Promise.all([shown.waitForEvent("download"), shown.locator("figure.grid-map").getByRole("button", { name: /as CSV$/ }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /^m,noise,delay,teacher_return,loss_percent,upper_percent\n0\.8,0,0,-150,0\.8,0\.8\n/);
  await map.scrollIntoViewIfNeeded();
  await shown.screenshot({ path: join(screenshots, "report-grid.png") });
  await check_accessibility(shown, "grid");
  assert.deepEqual(shown.troubles, []);
  await shown.context().close();
});

test("code can be copied or is selected", async () => {
  assert.match(await page.locator("#code-note").textContent(), /; no heap, no library\.$/);
  await page.locator("#copy").click();
  await changes(() => page.locator("#copy").textContent(), "Copy", "the button");
});

test("tasks with discrete actions and with more dimensions", async () => {
  const car = await open_page(file("car.html"), { offline: true });
  assert.equal(await car.locator("#scenes svg").count(), 2);
  assert.deepEqual(car.troubles, []);
  const pole = await open_page(file("pole.html"), { offline: true });
  assert.equal(await pole.locator("#fixed input").count(), 2);
  await move_slider(pole, "#fixed input >> nth=0", 0);
  await move_slider(pole, "#fixed input >> nth=0", 2);
  await pole.locator("#axis-y").selectOption({ index: 3 });
  await settled(pole);
  assert.ok(await pole.locator("#trouble").isHidden());
  assert.deepEqual(pole.troubles, []);
  await car.context().close();
  await pole.context().close();
});

test("a phone has room for all of it", async () => {
  const phone = await open_page(file("report.html"), { width: 390, height: 844, offline: true });
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 390);
  await check_accessibility(phone, "phone");
  assert.deepEqual(phone.troubles, []);
  await phone.context().close();
});

test("no serious accessibility problem, no error, no request", async () => {
  await check_accessibility(page, "report");
  assert.deepEqual(page.troubles, []);
});
