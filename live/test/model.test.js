import assert from "node:assert/strict";
import { test } from "node:test";
import "../models/translator.js";
import "../models/reader.js";
import "../models/captioner.js";
import { describe, paint } from "../captioner.js";
import { greedy } from "../search.js";
import { toRows, work } from "../tensor.js";
import { AS_TRAINED, decode, emptyCache, encode } from "../transformer.js";
import { classify, occlusion, rollout, shrink } from "../vision.js";
import { half, load } from "../weights.js";
import { read } from "../words.js";

const translator = load(globalThis.liveModels.translator);
const reader = load(globalThis.liveModels.reader);
const captioner = load(globalThis.liveModels.captioner);

function translate(text, settings = AS_TRAINED, cached = false) {
  const { tokens } = read(text, translator.english, 20);
  const source = [...tokens, ...new Array(10 - tokens.length).fill(translator.pad)];
  const memory = encode(translator, source, settings);
  const cache = cached ? emptyCache() : undefined;
  const next = (written) => toRows(decode(translator, written, memory, settings, undefined, cache)).at(-1);
  return greedy(next, translator, 14).map((token) => translator.spanish[token]).join(" ");
}

test("half-precision numbers, from the tables of the standard", () => {
  assert.deepEqual([0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x3555, 0x8000].map(half), [1, -2, 65504, 2 ** -24, 2 ** -14, 0.333251953125, -0]);
  assert.equal(half(0x7c00), Infinity);
  assert.ok(Number.isNaN(half(0x7e00)));
});

test("the words after letter decide between carta and letra, and the adjective changes sides", () => {
  assert.equal(translate("she is writing a long letter to my friend"), "ella está escribiendo una carta larga para mi amigo <eos>");
  assert.equal(translate("she is writing a long letter of the alphabet"), "ella está escribiendo una letra larga del alfabeto <eos>");
});

test("a cache changes nothing but the work", () => {
  const text = "we are reading the old letter on the keyboard";
  const cost = (cached) => {
    work.multiplications = 0;
    return [translate(text, AS_TRAINED, cached), work.multiplications];
  };
  const [[plain, much], [cached, little]] = [cost(false), cost(true)];
  assert.equal(plain, cached);
  assert.ok(little < much / 2, `${little} of ${much}`);
});

test("padding is invisible behind its mask only", () => {
  const text = "I am sending a letter to her";
  const source = read(text, translator.english, 20).tokens;
  const logits = (tokens, settings) => toRows(decode(translator, [translator.bos], encode(translator, tokens, settings), settings))[0];
  const far = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
  const padded = [...source, 0, 0, 0];
  assert.ok(far(logits(source, AS_TRAINED), logits(padded, AS_TRAINED)) < 1e-9);
  const open = { ...AS_TRAINED, padding: false };
  assert.ok(far(logits(source, open), logits(padded, open)) > 1e-3);
});

test("the digits of the test set are read, and both maps have one number per patch", () => {
  const examples = Array.from({ length: 10 }, (_, digit) => reader.examples.slice(64 * digit, 64 * digit + 64).map((value) => value / 16));
  const answers = examples.map((pixels) => classify(reader, pixels)).map((logits) => logits.indexOf(Math.max(...logits)));
  assert.ok(answers.filter((answer, digit) => answer === digit).length >= 9, answers.join(" "));
  const record = [];
  classify(reader, examples[4], record);
  assert.ok(Math.abs(rollout(record).reduce((a, b) => a + b) - 1) < 1e-9);
  assert.equal(occlusion(reader, examples[4]).length, 16);
});

test("a drawing is moved to the middle and brought to full height", () => {
  const ink = new Array(32 * 32).fill(0);
  for (let y = 20; y < 28; y++) for (let x = 2; x < 4; x++) ink[y * 32 + x] = 1;
  const pixels = shrink(ink, 32);
  assert.ok(pixels.every((value, i) => (i % 8 === 3 || i % 8 === 4 ? value === 1 : value === 0)), "a bar in the two columns of the middle");
  assert.deepEqual(shrink(new Array(1024).fill(0), 32), new Array(64).fill(0));
});

test("scenes are described in reading order", () => {
  const things = [{ colour: "blue", shape: "cross", cell: 8 }, { colour: "red", shape: "circle", cell: 0 }];
  const { told, looks } = describe(captioner, paint(things));
  assert.equal(told.map(({ word }) => word).join(" "), "red circle top left and blue cross bottom right <eos>");
  assert.deepEqual(looks.map(({ weights }) => weights.length), [4, 4]);
  assert.equal(looks[0].weights[0].columns, 36);
});
