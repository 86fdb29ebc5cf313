// The five answers of the first screen, for a good, a chattering and an uncertified embedding.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check_accessibility, close_browser, folder, make_answers, mercer, move_slider, open_page, screenshots, settled } from "./setup.mjs";

const file = (name) => pathToFileURL(join(folder, name)).href;
const pages = {};

before(async () => {
  make_answers();
  for (const name of ["good", "chatters", "bare"]) {
    mercer("report", `${name}.mercer`, "--out", `${name}.html`, "--episodes", 200, "--quiet");
    pages[name] = await open_page(file(`${name}.html`), { offline: true });
  }
});
after(close_browser);

async function answers(page) {
  const all = await page.locator("#verdicts > li").evaluateAll((items) => items.map((item) => ({
    code: item.dataset.code, colour: item.className.replace("verdict ", ""), mark: item.querySelector(".mark").textContent, link: item.querySelector("a").hash,
    question: item.querySelector("h3").textContent, sentence: item.querySelector("p").textContent,
  })));
  return Object.fromEntries(all.map((one) => [one.code, one]));
}
const colours = async (page) => Object.fromEntries(Object.values(await answers(page)).map(({ code, colour }) => [code, colour]));

test("five questions are answered, each with a number and a link to its section", async () => {
  for (const page of Object.values(pages)) {
    const found = await answers(page);
    assert.deepEqual(Object.values(found).map(({ question }) => question),
      ["Is it the same policy?", "What do I lose?", "Can I trust it?", "Is it smooth and robust?", "What does it cost on my chip?"]);
    for (const { sentence, link, colour, mark, code } of Object.values(found)) {
      if (code !== "trust" || colour !== "red") assert.match(sentence, /\d.*(%|bytes|episodes)/, "a number with its unit");
      assert.equal(await page.locator(`main > section${link}`).count(), 1);
      assert.match(mark, { green: /Good/, amber: /Check/, red: /Problem/ }[colour], "colour is not the only sign");
    }
  }
});

test("a good embedding is green in every answer", async () => {
  assert.deepEqual(await colours(pages.good), { same: "green", loss: "green", trust: "green", smooth: "green", cost: "green" });
});

test("a chattering embedding is red where it chatters, however little it loses", async () => {
  const found = await answers(pages.chatters);
  assert.equal(found.smooth.colour, "red");
  assert.match(found.smooth.sentence, /^Changes the action by [\d.]+% of its range from step to step, the teacher by [\d.]+%\..*Not tested in perturbed tasks\.$/);
  assert.equal(found.trust.colour, "green");
  assert.equal(found.loss.colour, "green");
});

test("an uncertified embedding promises nothing anywhere", async () => {
  const found = await answers(pages.bare);
  assert.equal(found.trust.colour, "red");
  assert.equal(found.loss.colour, "amber");
  assert.match(found.trust.sentence, /^There is no certificate; 'mercer certify FILE' makes one\. Nothing is promised\.$/);
  const all = await pages.bare.locator("main").innerText();
  assert.doesNotMatch(all, /guaranteed,|at most \d/i);
});

test("there is one promise, the certificate's, in its own digits", async () => {
  for (const name of ["good", "chatters"]) {
    const { loss } = await answers(pages[name]);
    const [figure] = /(loses at most|gains at least) [\d.]+% of the teacher's mean return/i.exec(loss.sentence);
    assert.ok(mercer("inspect", `${name}.mercer`).includes(figure.toLowerCase()), figure);
    assert.ok((await pages[name].locator("#certificate-body .promise").textContent()).includes(figure.toLowerCase()));
    assert.doesNotMatch(await pages[name].locator("#summary").textContent(), /loses|gains/);
    assert.doesNotMatch(await pages[name].locator("#subject").textContent(), /loss/);
    assert.doesNotMatch(await pages[name].locator("#tiles").textContent(), /at most|guarantee/i);
  }
});

test("a part of an embedding has no certificate, and the answers say so", async () => {
  const page = pages.good;
  const last = await page.locator("#k").inputValue();
  await move_slider(page, "#k", 0);
  await settled(page);
  const { trust, loss } = await answers(page);
  assert.equal(trust.colour, "red");
  assert.match(trust.sentence, /^The certificate is about all \d+ terms, not about the 1 that are shown\./);
  assert.match(loss.sentence, /measured on 200 episodes\)\. Nothing is promised\.$/);
  await move_slider(page, "#k", last);
  await settled(page);
  assert.equal((await answers(page)).trust.colour, "green");
});

test("answers and the action trace are in the first screen, and a link leads to its section", async () => {
  const page = pages.good;
  for (const place of ["#verdicts", "#action-trace svg"]) {
    const box = await page.locator(place).boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 900, `${place} ends at ${box.y + box.height}`);
  }
  assert.match(await page.locator("#action-trace svg").textContent(), /torque \(N m\)/);
  await page.getByRole("link", { name: "Can I trust it?" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "certificate-title");
  const { y } = await page.locator("#certificate").boundingBox();
  assert.ok(y >= 0 && y < 900, `the section begins at ${y}`);
  await page.evaluate(() => scrollTo(0, 0));
});

test("map, trace and player share a cursor", async () => {
  const page = pages.good;
  const text = () => page.locator("#step-text").textContent();
  const now = () => page.locator("#maps svg").nth(1).locator("circle.now-embedding").first().evaluate((node) => [Number(node.getAttribute("cx")), Number(node.getAttribute("cy"))]);
  const trace = await page.locator("#action-trace svg").boundingBox();
  await page.mouse.move(trace.x + 0.3 * trace.width, trace.y + 0.4 * trace.height);
  const first = { text: await text(), now: await now() };
  await page.mouse.move(trace.x + 0.9 * trace.width, trace.y + 0.4 * trace.height);
  assert.notEqual(await text(), first.text, "the trace moves the player");
  assert.notDeepEqual(await now(), first.now, "and the dot on the map");
  const svg = page.locator("#maps svg").nth(1);
  await svg.scrollIntoViewIfNeeded();
  const box = await svg.boundingBox(), scale = box.width / 250;
  await page.mouse.move(box.x + first.now[0] * scale, box.y + first.now[1] * scale);
  const [x, y] = await now();
  assert.ok(Math.hypot(x - first.now[0], y - first.now[1]) < 12, "the map moves the player to the place");
  assert.match(await page.locator("#reading").textContent(), /theta -?[\d.]+ rad, speed -?[\d.]+ rad\/s: teacher -?[\d.e-]+ N m, embedding -?[\d.e-]+ N m\./);
  await page.evaluate(() => scrollTo(0, 0));
});

test("maps zoom, name units, and have captions that follow the view", async () => {
  const page = pages.good;
  const caption = () => page.locator("#view-caption").textContent();
  const legend = await page.locator("#maps figure:not([hidden]) g.legend").allTextContents();
  assert.equal(legend.length, 3);
  for (const one of legend) assert.match(one, /torque \(N m\)/);
  assert.match(await caption(), /^Mean torque \(N m\) over theta \(rad\) and speed \(rad\/s\), over the whole range\. Difference: the embedding's less the teacher's\. Contours/);
  const former = await page.locator("#maps image").first().getAttribute("href");
  await page.getByLabel("zoom to visited states").check();
  await settled(page);
  assert.match(await caption(), /zoomed to where 98% of the visited states are/);
  assert.notEqual(await page.locator("#maps image").first().getAttribute("href"), former);
  await page.getByLabel("polar plot").check();
  await settled(page);
  assert.match(await caption(), /^Each ring is a state/);
  await page.getByLabel("heat map").check();
  await settled(page);
  assert.match(await caption(), /^Mean torque/);
  await page.getByLabel("zoom to visited states").uncheck();
  await settled(page);
});

test("the theme button names what it will do", async () => {
  const button = pages.good.locator("#theme"), theme = () => pages.good.locator("html").getAttribute("data-theme");
  assert.equal(await button.textContent(), "Dark theme");
  await button.click();
  assert.deepEqual([await theme(), await button.textContent()], ["dark", "Light theme"]);
  await check_accessibility(pages.good, "answers, dark");
  await button.click();
  assert.deepEqual([await theme(), await button.textContent()], ["light", "Dark theme"]);
});

// Right and left edges of everything that is seen, but what scrolls by itself.
const clipped = (page) => page.evaluate(() => [...document.querySelectorAll("body *")].filter((node) => {
  if (!node.checkVisibility() || node.closest(".scroll, pre, .skip, .sr, svg, select, .terms")) return false;
  const box = node.getBoundingClientRect();
  return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5 || (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === "hidden"));
}).map((node) => `${node.tagName}#${node.id}.${node.className}`));

test("a phone shows all of it, nothing clipped", async () => {
  for (const name of ["good", "chatters", "bare"]) {
    for (const width of name === "good" ? [390, 320] : [390]) {
      const phone = await open_page(file(`${name}.html`), { width, height: 844, offline: true });
      assert.deepEqual(await clipped(phone), [], `${name} at ${width}`);
      await check_accessibility(phone, `phone ${name}`);
      if (name === "good" && width === 390) await phone.screenshot({ path: join(screenshots, "figures/page-after-phone.png") });
      assert.deepEqual(phone.troubles, []);
      await phone.context().close();
    }
  }
});

test("print has light colours, the answers, and no controls", async () => {
  const page = await open_page(file("good.html"), { width: 794, height: 1123, dark: true, offline: true });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.locator("button:visible, input:visible, pre:visible").count(), 0);
  assert.equal(await page.locator("#verdicts > li:visible").count(), 5);
  assert.equal(await page.locator("#action-trace svg:visible").count(), 1);
  assert.deepEqual(await clipped(page), []);
  await page.screenshot({ path: join(screenshots, "figures/page-after-print.png") });
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10000);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("desktop, light and dark, for the documents", async () => {
  for (const [name, dark] of [["desktop", false], ["dark", true]]) {
    const page = await open_page(file("good.html"), { dark, offline: true });
    await page.screenshot({ path: join(screenshots, `figures/page-after-${name}.png`) });
    await page.context().close();
  }
});

test("a folder of results remembers its teacher, opens what was chosen and holds no path", async () => {
  mercer("report", "answers", "--out", "folder.html", "--episodes", 50, "--quiet");
  const text = readFileSync(join(folder, "folder.html"), "utf8");
  assert.ok(!text.includes(folder), "no path");
  const page = await open_page(file("folder.html"), { offline: true });
  assert.doesNotMatch(await page.locator("#summary").textContent(), /outside|no teacher/);
  const tried = JSON.parse(readFileSync(join(folder, "answers/tried.json"), "utf8"));
  const chosen = tried.find((one) => one.chosen);
  assert.ok((await page.locator("#subject option:checked").textContent()).startsWith(chosen.file));
  assert.equal((await answers(page)).trust.colour, "green");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("two embeddings of one teacher are shown side by side, never those of two", async () => {
  mercer("report", "good.mercer", "bare.mercer", "elsewhere.mercer", "--out", "three.html", "--episodes", 20, "--quiet");
  const page = await open_page(file("three.html"), { offline: true });
  assert.deepEqual(await page.locator("#beside option").allTextContents(), ["no other embedding", "bare.mercer"]);
  await page.locator("#beside").selectOption({ label: "bare.mercer" });
  await settled(page);
  const titles = await page.locator("#maps figure:not([hidden]) figcaption > span:first-child").allTextContents();
  assert.deepEqual(titles, ["teacher", "embedding", "bare.mercer", "difference"]);
  assert.match(await page.locator("#view-caption").textContent(), /with bare\.mercer next to it.* Difference: the embedding's less that of bare\.mercer\./);
  await check_accessibility(page, "side by side");
  const names = await page.locator("#front-plot").getByRole("button", { name: /^Show / }).evaluateAll((spots) => spots.map((one) => one.getAttribute("aria-label")));
  await page.locator("#subject").selectOption({ label: (await page.locator("#subject option").allTextContents())[2] });
  await settled(page);
  assert.ok(await page.locator("#beside-box").isHidden(), "another teacher has nothing to stand next to");
  assert.equal(await page.locator("#maps figure:not([hidden])").count(), 3);
  const others = await page.locator("#front-plot").getByRole("button", { name: /^Show / }).evaluateAll((spots) => spots.map((one) => one.getAttribute("aria-label")));
  assert.deepEqual(others.filter((one) => names.includes(one)), [], "nor a front");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("no error, no request, no serious accessibility problem", async () => {
  for (const [name, page] of Object.entries(pages)) {
    await check_accessibility(page, name);
    assert.deepEqual(page.troubles, [], name);
  }
});
