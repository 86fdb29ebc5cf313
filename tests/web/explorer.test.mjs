// The page of 'mercer serve'.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { join } from "node:path";
import { changes, check_accessibility, close_browser, make_embeddings, map_picture, mercer, move_slider, open_page, screenshots, serve, settled, tile } from "./setup.mjs";

let server, page;

before(async () => {
  make_embeddings();
  server = await serve("small.mercer", "lattice.mercer", "results");
  page = await open_page(server.url);
});
after(async () => {
  await close_browser();
  assert.equal(await server.end(), 0);
});

test("the slider changes figures and map", async () => {
  const former = { bytes: await tile(page, "Payload"), map: await map_picture(page, 2) };
  await move_slider(page, "#k", 3);
  await changes(() => map_picture(page, 2), former.map, "the map");
  await changes(() => tile(page, "Payload"), former.bytes, "the payload");
  assert.match(await page.locator("#k-text").textContent(), /^4 of 10/);
});

test("many moves end where the slider ends", async () => {
  for (const place of [0, 1, 2, 3, 4, 5, 6, 7, 5]) await move_slider(page, "#k", place);
  await changes(async () => /6 terms/.test(await tile(page, "Numbers")), false, "the figures");
  assert.ok(await page.locator("#trouble").isHidden());
});

test("a function can be switched off and on", async () => {
  await settled(page);
  const former = await map_picture(page, 2);
  await page.locator("#term-0").uncheck();
  await changes(() => map_picture(page, 2), former, "the map");
  await page.locator("#terms-all").click();
  await settled(page);
  assert.equal(await map_picture(page, 2), former);
});

test("measurements promise nothing, and a part has no certificate", async () => {
  const certificate = () => page.locator("#certificate-body").textContent();
  assert.match(await certificate(), /There is no certificate/);
  assert.match(await page.locator("#tiles").textContent(), /measured/);
  assert.doesNotMatch(await page.locator("#tiles").textContent(), /promise|at most|guarantee/i);
  await page.locator("#subject").selectOption({ index: 1 });
  await changes(async () => /500 of 500/.test(await page.locator("#k-text").textContent()), false, "the embedding");
  await changes(async () => /coefficient/.test(await page.locator("#terms").textContent()), false, "the terms");
});

test("the promise on the page is that of the file, word for word", async () => {
  const own = await serve("found.mercer");
  try {
    const shown = await open_page(own.url);
    const promise = await shown.locator("#certificate-body .promise").textContent();
    assert.match(promise, /^Guaranteed, with 95% confidence for all of this together: /);
    assert.ok(mercer("inspect", "found.mercer").includes(promise));
    await move_slider(shown, "#k", 0);
    await changes(async () => /The certificate is about all/.test(await shown.locator("#certificate-body").textContent()), false, "the certificate");
    assert.equal(await shown.locator("#certificate-body .promise").count(), 0);
  } finally {
    assert.equal(await own.end(), 0);
  }
});

test("a click on the map starts there exactly", async () => {
  await page.locator("#subject").selectOption({ index: 0 });
  const text = () => page.locator("#start-text").textContent();
  const former = await text();
  await page.locator("#maps svg").first().click({ position: { x: 100, y: 60 } });
  const now = await changes(text, former, "the start");
  assert.doesNotMatch(now, /nearest start/);
});

test("measuring can be cancelled", async () => {
  await page.locator("#subject").selectOption({ index: 1 });
  await settled(page);
  await page.locator("#episodes").selectOption("20000");
  await page.locator("#measure").click();
  await page.locator("#cancel").click();
  await changes(async () => (await page.locator("#measured-on").textContent()).includes("Cancelled"), false, "the state");
  await page.locator("#episodes").selectOption("200");
  await page.locator("#measure").click();
  await changes(async () => (await page.locator("#measured-on").textContent()).includes("Measured on 200"), false, "the state");
});

test("light and dark have no serious accessibility problem", async () => {
  await page.locator("#subject").selectOption({ index: 0 });
  await changes(async () => /10 terms/.test(await tile(page, "Numbers")), false, "the figures");
  await page.locator("#episodes").selectOption("20000");
  await page.locator("#measure").click();
  await settled(page);
  await check_accessibility(page, "light");
  await page.locator("#theme").click();
  await check_accessibility(page, "dark");
  await page.getByLabel("polar plot").check();
  await changes(async () => (await page.locator("#policy .panels:not([hidden]) path").count()) > 50, false, "the plot");
  await page.locator("#policy").screenshot({ path: join(screenshots, "explorer-polar.png") });
  await check_accessibility(page, "polar");
  await page.getByLabel("heat map").check();
  await page.locator("#theme").click();
});

test("no errors and no requests to elsewhere", () => {
  assert.deepEqual(page.troubles, []);
});

test("the token of the address opens the page, none does not", async () => {
  const locked = await serve("small.mercer", "--token", "0123456789abcdef-token");
  const inside = await open_page(locked.url);
  assert.deepEqual(inside.troubles, []);
  await inside.goto("about:blank");
  await inside.goto(locked.url.split("#")[0]);
  await inside.locator("#trouble").waitFor();
  assert.match(await inside.locator("#trouble").textContent(), /token/);
  await inside.context().close();
  assert.equal(await locked.end(), 0);
});
