// Trained weights, as the files in models/ hold them: half-precision numbers in base64, one after the other.
import { matrix } from "./tensor.js";

/** 16 bits of IEEE 754 -> a number. */
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

/** What a file of models/ holds -> a model: `get(name)` is the matrix of that name, a vector being one row. */
export function load(file) {
  const bytes = Uint8Array.from(atob(file.weights), (letter) => letter.charCodeAt(0));
  const numbers = Array.from(new Uint16Array(bytes.buffer), half);
  const parts = new Map();
  let at = 0;
  for (const [name, shape] of Object.entries(file.shapes)) {
    const size = shape.reduce((total, side) => total * side, 1);
    const data = Float64Array.from(numbers.slice(at, at + size));
    const rows = shape.length > 1 ? shape[0] : 1; // a convolution's kernel (out, in, h, w) becomes (out, in h w)
    parts.set(name, matrix(rows, size / rows, data));
    at += size;
  }
  return { ...file.about, get: (name) => parts.get(name), has: (name) => parts.has(name) };
}
