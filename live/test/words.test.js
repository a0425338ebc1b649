import assert from "node:assert/strict";
import { test } from "node:test";
import { closest, distance, read } from "../words.js";

const KNOWN = ["<pad>", "<bos>", "<eos>", "I", "am", "writing", "letter"];

test("how far words are apart", () => {
  assert.equal(distance("leter", "letter"), 1);
  assert.equal(distance("", "abc"), 3);
  assert.equal(closest("leter", KNOWN), "letter");
  assert.equal(closest("zebra", KNOWN), undefined);
});

test("a sentence of known words is read in silence, whatever its capitals and stops", () => {
  assert.deepEqual(read("i AM Writing, letter!", KNOWN, 9), { tokens: [3, 4, 5, 6], notes: [] });
});

test("nothing, nonsense, unknown words and too many words each get an answer", () => {
  for (const text of ["", "   ", "?!…", "🙂🙂"]) {
    const { tokens, notes } = read(text, KNOWN, 9);
    assert.equal(tokens.length, 0);
    assert.match(notes[0], /Type a sentence/);
  }
  assert.match(read("qwertz asdf", KNOWN, 9).notes[0], /none of these/);
  const partly = read("I am writing a leter", KNOWN, 9);
  assert.deepEqual(partly.tokens, [3, 4, 5]);
  assert.match(partly.notes[0], /“a”, “leter”.*“leter” may be “letter”/);
  const long = read("letter ".repeat(500), KNOWN, 9);
  assert.equal(long.tokens.length, 9);
  assert.match(long.notes.at(-1), /first 9 words/);
  assert.ok(read("x".repeat(100000), KNOWN, 9).notes[0].length < 300);
  assert.equal(read("<pad> <eos>", KNOWN, 9).tokens.length, 0, "the model's own signs cannot be typed");
});
