import assert from "node:assert/strict";
import { test } from "node:test";
import { add, argmax, below, beside, columnsOf, fromRows, layerNorm, linear, logSoftmax, product, rowsOf, softmax, toRows, transposed, work } from "../tensor.js";

const close = (a, b, tolerance = 1e-12) => a.flat().forEach((value, i) => assert.ok(Math.abs(value - b.flat()[i]) < tolerance, `${value} is not ${b.flat()[i]}`));

test("a product of matrices, worked out by hand, and what it costs", () => {
  work.multiplications = 0;
  const a = fromRows([[1, 2, 3], [4, 5, 6]]);
  assert.deepEqual(toRows(product(a, transposed(a))), [[14, 32], [32, 77]]);
  assert.equal(work.multiplications, 2 * 3 * 2);
});

test("a linear layer multiplies by the transposed weight and adds the bias", () => {
  const x = fromRows([[1, 2]]);
  assert.deepEqual(toRows(linear(x, fromRows([[3, 4], [5, 6], [7, 8]]), fromRows([[10, 20, 30]]))), [[21, 37, 53]]);
});

test("parts of a matrix, and parts put together", () => {
  const a = fromRows([[1, 2, 3], [4, 5, 6]]);
  assert.deepEqual(toRows(columnsOf(a, 1, 3)), [[2, 3], [5, 6]]);
  assert.deepEqual(toRows(rowsOf(a, 1, 2)), [[4, 5, 6]]);
  assert.deepEqual(toRows(beside([columnsOf(a, 0, 1), columnsOf(a, 1, 3)])), toRows(a));
  assert.deepEqual(toRows(below(rowsOf(a, 0, 1), rowsOf(a, 1, 2))), toRows(a));
  assert.deepEqual(toRows(add(a, a)), [[2, 4, 6], [8, 10, 12]]);
});

test("softmax sums to one, whatever the size of the scores", () => {
  close(softmax([Math.log(1), Math.log(3)]), [0.25, 0.75]);
  close(softmax([1000, 1000 + Math.log(3)]), [0.25, 0.75]);
  close(softmax([0, -Infinity]), [1, 0]);
  assert.ok(softmax([-Infinity, -Infinity]).every(Number.isNaN), "as in torch");
  close(logSoftmax([1, 2, 3]), softmax([1, 2, 3]).map(Math.log));
});

test("a layer norm gives mean 0 and variance 1", () => {
  const [out] = toRows(layerNorm(fromRows([[1, 2, 3, 4]]), fromRows([[1, 1, 1, 1]]), fromRows([[0, 0, 0, 0]]), 0));
  close([out.reduce((a, b) => a + b)], [0]);
  close([out.reduce((a, b) => a + b * b, 0) / 4], [1]);
});

test("of equal numbers the first is the largest", () => assert.equal(argmax([1, 3, 3]), 1));
