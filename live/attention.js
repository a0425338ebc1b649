// Attention: one head with everything that happens on the way, and several heads side by side.
import { beside, columnsOf, linear, matrix, product, row, softmax, transposed } from "./tensor.js";

/** May row t look at column s? The mask of unit 03, with `past` columns before the first row's own. */
export function causal(rows, columns, past = 0) {
  return (t, s) => s <= past + t;
}

export const everything = () => true;

/** q (T, d), k (S, d), v (S, e), allowed(t, s) -> scores (T, S), weights (T, S), output (T, e). */
export function attend(q, k, v, allowed = everything) {
  const scores = product(q, transposed(k));
  const scale = 1 / Math.sqrt(k.columns);
  const weights = matrix(scores.rows, scores.columns);
  for (let t = 0; t < scores.rows; t++) {
    const scaled = row(scores, t).map((score, s) => (allowed(t, s) ? score * scale : -Infinity));
    row(weights, t).set(softmax(scaled).map((weight) => weight || 0)); // NaN: nothing is allowed, so nothing is taken
  }
  return { scores, weights, output: product(weights, v) };
}

/** The features of each head: its own slice of the columns. */
export function splitHeads(x, heads) {
  const width = x.columns / heads;
  return Array.from({ length: heads }, (_, h) => columnsOf(x, h * width, (h + 1) * width));
}

/**
 * The layer `name` of a model: project, split, attend, merge, project.
 * `look` says who may look at whom, which heads are off, where weights are written down, and what is remembered of earlier steps.
 */
export function multiHead(model, name, x, memory, { allowed, off = new Set(), record, remembered }) {
  const part = (layer, input) => linear(input, model.get(`${name}.${layer}.weight`), model.get(`${name}.${layer}.bias`));
  const keysAndValues = () => [part("key", memory), part("value", memory)];
  const [keys, values] = remembered ? remembered(name, keysAndValues) : keysAndValues();
  const [q, k, v] = [part("query", x), keys, values].map((whole) => splitHeads(whole, model.heads));
  const heads = q.map((query, h) => attend(query, k[h], v[h], allowed));
  record?.push({ name, weights: heads.map((head) => head.weights) });
  const outputs = heads.map((head, h) => (off.has(`${name}.${h}`) ? matrix(head.output.rows, head.output.columns) : head.output));
  return part("out", beside(outputs));
}
