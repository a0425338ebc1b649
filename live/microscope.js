// Attention step by step, as it should be and with the mistakes that students make: every number on the way can be asked for.
import { fromRows, matrix, product, row, softmax, toRows, transposed } from "./tensor.js";
import { splitHeads } from "./attention.js";

/** The mistakes that can be switched on. */
export const MISTAKES = {
  scale: "the scores are not divided by √d",
  axis: "softmax over the queries",
  fill: "forbidden scores become 0",
  view: "heads split by view alone",
};

/** What `x.view(heads, T, d)` gives without a transpose: the numbers as they lie in memory. */
export function viewHeads(x, heads) {
  const width = x.columns / heads;
  const size = x.rows * width;
  return Array.from({ length: heads }, (_, h) => matrix(x.rows, width, x.data.slice(h * size, (h + 1) * size)));
}

/** Shares along the rows, or along the columns. */
function shares(scores, alongColumns) {
  const lines = alongColumns ? transposed(scores) : scores;
  const out = matrix(lines.rows, lines.columns);
  for (let i = 0; i < lines.rows; i++) row(out, i).set(softmax(row(lines, i)));
  return alongColumns ? transposed(out) : out;
}

/**
 * q (T, D), k (S, D), v (S, E) as lists of rows, mask (T, S) of true = may look, or nothing; `mistakes` is a set of names.
 * For every head: q, k, v, products, scaled, masked, weights, output; and the heads' outputs side by side.
 */
export function attention({ q, k, v, mask, heads = 1 }, mistakes = new Set()) {
  const split = mistakes.has("view") ? viewHeads : splitHeads;
  const [queries, keys, values] = [q, k, v].map((rows) => split(fromRows(rows), heads));
  const allowed = (t, s) => mask?.[t]?.[s] ?? true;
  const fill = mistakes.has("fill") ? 0 : -Infinity;
  const parts = queries.map((query, h) => {
    const products = product(query, transposed(keys[h]));
    const divisor = mistakes.has("scale") ? 1 : Math.sqrt(query.columns);
    const scaled = matrix(products.rows, products.columns, products.data.map((value) => value / divisor));
    const forbidden = (i) => !allowed(Math.floor(i / scaled.columns), i % scaled.columns);
    const masked = matrix(scaled.rows, scaled.columns, scaled.data.map((value, i) => (forbidden(i) ? fill : value)));
    const weights = shares(masked, mistakes.has("axis"));
    if (!mistakes.has("fill")) weights.data.forEach((_, i) => forbidden(i) && (weights.data[i] = 0));
    const output = product(weights, values[h]);
    const all = { q: query, k: keys[h], v: values[h], products, scaled, masked, weights, output };
    return { divisor, ...Object.fromEntries(Object.entries(all).map(([name, part]) => [name, toRows(part)])) };
  });
  return { heads: parts, output: q.map((_, t) => parts.flatMap((part) => part.output[t])), allowed };
}

/** How far two results are apart: the largest difference of a weight and of an output; NaN counts as endless. */
export function damage(right, wrong) {
  const far = (a, b) => Math.max(0, ...a.flat(3).map((value, i) => {
    const other = b.flat(3)[i];
    return Number.isNaN(other) ? Infinity : Math.abs(value - other);
  }));
  const weights = (result) => result.heads.map((part) => part.weights);
  return { weights: far(weights(right), weights(wrong)), output: far(right.output, wrong.output) };
}
