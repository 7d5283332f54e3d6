import assert from "node:assert/strict";
import { test } from "node:test";

import { findViolated, makeItems } from "../src/tree";

const execution = {
  begins: 0,
  at: 1,
  steps: [
    { title: "Acquire(c=c1)", state: 1, changed: [{ path: "lease[c1]", before: "0", after: "1" }] },
    { title: "RunOut()", state: 3, changed: [] },
  ],
};

test("each step stands with its changes, and the current one is marked", () => {
  const items = makeItems(execution);
  assert.deepEqual(items.map((item) => item.label), ["initially", "1  Acquire(c=c1)", "2  RunOut()"]);
  assert.deepEqual(items.map((item) => item.isCurrent), [false, true, false]);
  assert.equal(items[1]?.children[0]?.description, "0 → 1");
});

test("where nobody walks there is no item", () => {
  assert.deepEqual(makeItems({ begins: null, steps: [], at: 0 }), []);
});

test("a violated property is found", () => {
  assert.equal(findViolated([{ property: "P", verdict: "PROVED" }]), undefined);
  assert.equal(
    findViolated([
      { property: "P", verdict: "PROVED" },
      { property: "Q", verdict: "VIOLATED" },
    ]),
    "Q",
  );
});
