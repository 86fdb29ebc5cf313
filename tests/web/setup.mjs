// What the tests of the page share: embeddings made once, a browser, and pages that remember what went wrong on them.
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import assert from "node:assert/strict";

export const source = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
export const program = process.env.BINARY_UNDER_TEST ?? join(source, "build/release/bin/mercer");
const packages = createRequire(join(process.env.WEB_PACKAGES ?? join(source, "build/web"), "package.json"));
const { chromium } = packages("playwright-core");
export const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export const screenshots = process.env.SCREENSHOTS ?? join(source, "build/web/screenshots");
mkdirSync(join(screenshots, "figures"), { recursive: true });

export const folder = mkdtempSync(join(tmpdir(), "mercer-web-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const teacher = join(source, "tests/data/policies/pendulum_5000_actor.onnx");

export function mercer(...words) {
  return execFileSync(program, words.map(String), { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

export function make_embeddings() {
  if (existsSync(join(folder, "results/tried.json"))) return;
  mercer("embed", "--route", "continuous", "--env", "pendulum", "--policy", teacher, "--k", 10, "--seed", 1, "--out", "small.mercer", "--quiet");
  mercer("embed", "--env", "pendulum", "--policy", teacher, "--k", 500, "--episodes", 100, "--seed", 1, "--out", "lattice.mercer", "--quiet");
  mercer("embed", "--route", "continuous", "--env", "mountain-car", "--policy", join(source, "tests/data/policies/mc_dqn_120000_q.onnx"), "--k", 5, "--seed", 1, "--out", "car.mercer", "--quiet");
  mercer("embed", "--env", "cart-pole", "--policy", "uniform", "--state-bins", 5, "--k", 20, "--episodes", 50, "--seed", 1, "--out", "pole.mercer", "--quiet");
  mercer("compress", "--env", "pendulum", "--policy", teacher, "--max-loss", "10%", "--most-terms", 4, "--generations", 6, "--candidate-episodes", 32,
    "--route", "continuous", "--bases", "chebyshev", "--select-episodes", 300, "--certify-episodes", 4000, "--seed", 1, "--out", "found.mercer", "--results", "results", "--quiet");
  writeFileSync(join(folder, "results/alternatives.json"), JSON.stringify([{ name: "tree of depth 8", bytes: 2048, loss_percent: 4.5 }]));
}

const outcome = (file, code) => JSON.parse(mercer("inspect", file, "--json")).certificate.motion.embedding[code];

// One embedding that is good in every way, one that is certified and chatters, one without a certificate, one of another
// teacher, and the folder of a search.
export function make_answers() {
  mercer("embed", "--route", "continuous", "--env", "pendulum", "--policy", teacher, "--k", 40, "--seed", 1, "--out", "good.mercer", "--quiet");
  mercer("certify", "good.mercer", "--perturb", "m=0.95..1.05", "--grid", 2, "--episodes", 10000, "--max-loss", "2%", "--quiet");
  mercer("embed", "--route", "continuous", "--env", "pendulum", "--policy", teacher, "--k", 30, "--seed", 1, "--out", "bare.mercer", "--quiet");
  mercer("embed", "--route", "continuous", "--env", "pendulum", "--policy", join(source, "bench/policies/pendulum_4000_actor.onnx"), "--k", 10, "--seed", 1, "--out", "elsewhere.mercer", "--quiet");
  mercer("certify", "elsewhere.mercer", "--episodes", 500, "--quiet");
  // Where only the return is kept, some searches end with a policy that switches at almost every step.
  for (const seed of [5, 1, 2, 3, 4, 6, 7]) {
    mercer("compress", "--env", "pendulum", "--policy", teacher, "--max-loss", "1%", "--keep", "return", "--route", "continuous", "--bases", "chebyshev", "--formats", "int4", "--most-terms", 3,
      "--certify-episodes", 4000, "--seed", seed, "--out", "chatters.mercer", "--results", "answers", "--quiet");
    if (outcome("chatters.mercer", "roughness") > 0.1) return;
  }
  throw new Error("no search ended with a policy that chatters");
}

let browser = null;
export async function open_browser() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  return browser;
}
export async function close_browser() {
  await browser?.close();
}

// A page on which console errors, exceptions and requests to elsewhere are remembered.
export async function open_page(address, { width = 1280, height = 900, dark = false, offline = false } = {}) {
  const context = await (await open_browser()).newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", offline, acceptDownloads: true, reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.troubles = [];
  const own = new URL(address).origin;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.troubles.push(message.text()));
  page.on("pageerror", (error) => page.troubles.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && url.split("#")[0] !== address.split("#")[0] && new URL(url).origin !== own) page.troubles.push(`asked for ${url}`);
  });
  await page.goto(address, { timeout: 120000 });
  await page.locator("#tiles .tile").first().waitFor({ timeout: 60000 });
  await settled(page);
  return page;
}

// Waits until everything that is shown has been worked out.
export const settled = (page) => page.locator('main[aria-busy="false"]').waitFor({ timeout: 60000 });

export async function tile(page, title) {
  const box = page.locator(".tile", { has: page.locator("dt", { hasText: title }) });
  return (await box.locator("dd").textContent()).trim();
}

// Waits until what `read` gives is no longer `former`.
export async function changes(read, former, what) {
  for (let i = 0; i < 300; ++i) {
    const now = await read();
    if (now !== former) return now;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`${what} did not change from ${former}`);
}

export async function move_slider(page, id, value) {
  await page.locator(id).evaluate((input, to) => {
    input.value = to;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
}

export const map_picture = (page, panel) => page.locator(`#maps figure:nth-of-type(${panel}) image`).getAttribute("href");

export async function check_accessibility(page, where) {
  // Evaluated by the test, not loaded by the page: its policy would not let it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(serious.map((one) => `${where}: ${one.id}: ${one.nodes.map((node) => node.target).join("; ")}`), []);
}

// Starts 'mercer serve' on a free port.
export async function serve(...words) {
  const child = spawn(program, ["serve", ...words.map(String), "--port", "0", "--json", "--quiet"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      if (text.includes("\n")) done(JSON.parse(text).url);
    });
    child.on("exit", (code) => fail(new Error(`serve ended with ${code}`)));
  });
  child.removeAllListeners("exit");
  return { url, end: () => new Promise((done) => (child.on("exit", done), child.kill("SIGINT"))) };
}
