import assert from "node:assert/strict";
import { test } from "node:test";
import { beamSearch, chances, greedy, sample, seeded } from "../search.js";

const ENDS = { bos: 0, eos: 1 };
const random = seeded(7);
const table = Array.from({ length: 6 }, () => Array.from({ length: 5 }, () => Array.from({ length: 5 }, () => 3 * random())));
const next = (tokens) => table[tokens.length - 1][tokens.at(-1)];

/** Every sentence of up to `longest` words with its log probability, the slow way. */
function* everySentence(longest, tokens = [], score = 0) {
  if (tokens.at(-1) === ENDS.eos || tokens.length === longest) return yield { tokens, score };
  const logits = next([ENDS.bos, ...tokens]);
  const sum = Math.log(logits.reduce((total, value) => total + Math.exp(value), 0));
  for (const [token, value] of logits.entries()) yield* everySentence(longest, [...tokens, token], score + value - sum);
}

test("one beam is greedy", () => assert.deepEqual(beamSearch(next, ENDS, 5, 1).tokens, greedy(next, ENDS, 5)));

test("enough beams find the best sentence of all", () => {
  const best = [...everySentence(5)].reduce((a, b) => (b.score > a.score ? b : a));
  const found = beamSearch(next, ENDS, 5, 10_000);
  assert.deepEqual(found.tokens, best.tokens);
  assert.ok(Math.abs(found.score - best.score) < 1e-9);
});

test("the tree tells where every beginning comes from", () => {
  const { steps } = beamSearch(next, ENDS, 5, 3);
  for (let i = 1; i < steps.length; i++) {
    assert.ok(steps[i].filter((one) => one.kept).length <= 3);
    for (const one of steps[i]) {
      const parent = steps[i - 1][one.parent];
      assert.ok(parent.kept, "what was dropped has no children");
      assert.deepEqual(one.waiting ? one.tokens : one.tokens.slice(0, -1), parent.tokens);
    }
  }
});

test("temperature and top-k", () => {
  const logits = [1, 2, 3, 4];
  assert.deepEqual(chances(logits, 1, 2).slice(0, 2), [0, 0]);
  assert.ok(chances(logits, 0.1)[3] > 0.999);
  assert.ok(Math.abs(chances(logits, 1000)[0] - 0.25) < 0.01);
});

test("draws come as often as their probability says, and can be repeated", () => {
  const coin = () => [Math.log(0.2), Math.log(0.8)];
  const draw = seeded(1);
  let ones = 0;
  for (let i = 0; i < 5000; i++) ones += sample(coin, { bos: 0, eos: 9 }, 1, { temperature: 1, top: 0, random: draw })[0];
  assert.ok(Math.abs(ones / 5000 - 0.8) < 0.03);
  assert.equal(seeded(5)(), seeded(5)());
});
