// Matrices, stored row by row, and the few operations of which a Transformer is made.

/** How many multiplications were made since the counter was last set; products of matrices are counted, nothing else. */
export const work = { multiplications: 0 };

export function matrix(rows, columns, data = new Float64Array(rows * columns)) {
  return { rows, columns, data };
}

export function fromRows(rows) {
  return matrix(rows.length, rows[0]?.length ?? 0, Float64Array.from(rows.flat()));
}

export function row(a, i) {
  return a.data.subarray(i * a.columns, (i + 1) * a.columns);
}

export function toRows(a) {
  return Array.from({ length: a.rows }, (_, i) => Array.from(row(a, i)));
}

export function transposed(a) {
  const out = matrix(a.columns, a.rows);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.columns; j++) out.data[j * a.rows + i] = a.data[i * a.columns + j];
  return out;
}

/** (n, k) times (k, m) -> (n, m). */
export function product(a, b) {
  const out = matrix(a.rows, b.columns);
  for (let i = 0; i < a.rows; i++) {
    const into = row(out, i);
    for (let k = 0; k < a.columns; k++) {
      const factor = a.data[i * a.columns + k];
      const from = row(b, k);
      for (let j = 0; j < b.columns; j++) into[j] += factor * from[j];
    }
  }
  work.multiplications += a.rows * a.columns * b.columns;
  return out;
}

/** A linear layer as torch has it: x (n, in), weight (out, in), bias (out) -> (n, out). */
export function linear(x, weight, bias) {
  const out = matrix(x.rows, weight.rows);
  for (let i = 0; i < x.rows; i++) {
    const from = row(x, i);
    for (let o = 0; o < weight.rows; o++) {
      const w = row(weight, o);
      let sum = bias ? bias.data[o] : 0;
      for (let k = 0; k < x.columns; k++) sum += from[k] * w[k];
      out.data[i * out.columns + o] = sum;
    }
  }
  work.multiplications += x.rows * x.columns * weight.rows;
  return out;
}

export function map(a, change) {
  return matrix(a.rows, a.columns, a.data.map(change));
}

export function add(a, b) {
  return map(a, (value, i) => value + b.data[i]);
}

export const relu = (a) => map(a, (value) => Math.max(value, 0));

/** Some rows, from `first` up to but without `last`. */
export function rowsOf(a, first, last) {
  return matrix(last - first, a.columns, a.data.slice(first * a.columns, last * a.columns));
}

/** Some columns, from `first` up to but without `last`. */
export function columnsOf(a, first, last) {
  const out = matrix(a.rows, last - first);
  for (let i = 0; i < a.rows; i++) row(out, i).set(row(a, i).subarray(first, last));
  return out;
}

/** One matrix below the other. */
export function below(a, b) {
  const out = matrix(a.rows + b.rows, b.columns);
  out.data.set(a.data);
  out.data.set(b.data, a.data.length);
  return out;
}

/** Matrices side by side. */
export function beside(parts) {
  const out = matrix(parts[0].rows, parts.reduce((sum, part) => sum + part.columns, 0));
  let at = 0;
  for (const part of parts) {
    for (let i = 0; i < part.rows; i++) row(out, i).set(row(part, i), at);
    at += part.columns;
  }
  return out;
}

/** Numbers -> shares that sum to one; NaN, as in torch, if every number is minus infinity. */
export function softmax(numbers) {
  const top = Math.max(...numbers);
  const powers = Array.from(numbers, (value) => Math.exp(value - top));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}

export function logSoftmax(numbers) {
  const top = Math.max(...numbers);
  const sum = numbers.reduce((total, value) => total + Math.exp(value - top), 0);
  return Array.from(numbers, (value) => value - top - Math.log(sum));
}

/** Every row brought to mean 0 and variance 1, then scaled and shifted. */
export function layerNorm(x, gamma, beta, epsilon = 1e-5) {
  const out = matrix(x.rows, x.columns);
  for (let i = 0; i < x.rows; i++) {
    const from = row(x, i);
    const mean = from.reduce((sum, value) => sum + value, 0) / x.columns;
    const variance = from.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.columns;
    const scale = 1 / Math.sqrt(variance + epsilon);
    row(out, i).set(from.map((value, j) => gamma.data[j] * (value - mean) * scale + beta.data[j]));
  }
  return out;
}

/** The place of the largest number; of the first one, if there are several. */
export function argmax(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}
