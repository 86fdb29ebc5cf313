// What the page shows of a bound is never below the bound.
import { test } from "node:test";
import assert from "node:assert/strict";
import { number_up, percent_up } from "../../web/format.js";

test("bounds are rounded to the safe side", () => {
  assert.equal(number_up(1.50001), "1.501");
  assert.equal(number_up(-1.50009), "-1.5");
  assert.equal(number_up(2), "2");
  assert.equal(number_up(null), "unknown");
  assert.equal(percent_up(1.501), "1.51%");
  assert.equal(percent_up(-1.509), "-1.50%");
  assert.equal(percent_up(null), "unknown");
});

test("no number of any size is shown smaller than it is", () => {
  for (let i = 0; i < 2000; i++) {
    const value = (i % 2 ? 1 : -1) * 10 ** (-8 + 16 * ((i * 0.6180339887) % 1)) * (1 + ((i * 0.7548776662) % 1));
    assert.ok(Number(number_up(value)) >= value, `${value} is shown as ${number_up(value)}`);
    assert.ok(Number(number_up(value)) - value <= 0.02 * Math.abs(value), `${value} is shown as ${number_up(value)}`);
    assert.ok(Number(percent_up(value).slice(0, -1)) >= value - 1e-12 * Math.abs(value), `${value} as ${percent_up(value)}`);
  }
});
