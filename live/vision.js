// The Vision Transformer of unit 09 on digits of 8 x 8 pixels, and two ways to ask where it looked.
import { encoder } from "./transformer.js";
import { everything } from "./attention.js";
import { add, argmax, below, fromRows, linear, map, matrix, product, row, rowsOf } from "./tensor.js";

export const SIDE = 8;
export const PATCH = 2;
export const ACROSS = SIDE / PATCH;

/** Pixels, row by row -> patches (16, 4), row by row, and inside a patch row by row. */
export function patchify(pixels) {
  const patches = [];
  for (let top = 0; top < SIDE; top += PATCH) {
    for (let left = 0; left < SIDE; left += PATCH) {
      patches.push([0, 1].flatMap((y) => [0, 1].map((x) => pixels[(top + y) * SIDE + left + x])));
    }
  }
  return fromRows(patches);
}

/** The pixels with one patch (or several) made empty. */
export function blanked(pixels, patches) {
  const empty = new Set(patches);
  return Array.from(pixels, (value, i) => (empty.has(patchOf(i)) ? 0 : value));
}

export const patchOf = (pixel) => Math.floor(Math.floor(pixel / SIDE) / PATCH) * ACROSS + Math.floor((pixel % SIDE) / PATCH);

/** 64 pixels from 0 to 1 -> logits of the ten digits; `record` gets the weights of every layer. */
export function classify(model, pixels, record = undefined) {
  const part = (name, x) => linear(x, model.get(`${name}.weight`), model.get(`${name}.bias`));
  const tokens = below(model.get("embed.cls"), part("embed.project", patchify(pixels)));
  const positions = model.get("embed.positions");
  const x = encoder(model, "encoder", add(tokens, matrix(tokens.rows, tokens.columns, positions.data)), { allowed: everything, record });
  return Array.from(row(part("head", rowsOf(x, 0, 1)), 0));
}

/** The weights of all layers -> how much of each patch has arrived in CLS, as shares of one. */
export function rollout(record) {
  const size = record[0].weights[0].rows;
  const identity = (i, share) => (Math.floor(i / size) === i % size ? share : 0);
  let arrived = map(matrix(size, size), (_, i) => identity(i, 1));
  for (const { weights } of record) {
    const mean = map(weights[0], (_, i) => weights.reduce((sum, head) => sum + head.data[i], 0) / weights.length);
    const step = map(mean, (value, i) => 0.5 * value + identity(i, 0.5)); // rows sum to one already
    arrived = product(step, arrived);
  }
  const patches = Array.from(row(arrived, 0)).slice(1);
  const sum = patches.reduce((total, value) => total + value, 0);
  return patches.map((value) => value / sum);
}

/** How far the logit of the model's answer falls when each patch is made empty. */
export function occlusion(model, pixels) {
  const before = classify(model, pixels);
  const answer = argmax(before);
  return Array.from({ length: ACROSS ** 2 }, (_, patch) => before[answer] - classify(model, blanked(pixels, [patch]))[answer]);
}

/**
 * A drawing on a fine grid -> 8 x 8 pixels, as the digits of the course were made: the drawing is moved to the middle and
 * brought to full height, then every pixel is the share of ink in its square.
 */
export function shrink(ink, side) {
  const inked = Array.from(ink.keys()).filter((i) => ink[i] > 0);
  if (!inked.length) return new Array(SIDE ** 2).fill(0);
  const ys = inked.map((i) => Math.floor(i / side));
  const xs = inked.map((i) => i % side);
  const [top, bottom, left, right] = [Math.min(...ys), Math.max(...ys) + 1, Math.min(...xs), Math.max(...xs) + 1];
  const size = Math.max(bottom - top, right - left);
  const [middleY, middleX] = [(top + bottom) / 2, (left + right) / 2];
  const fine = 4; // looks per side of a pixel
  const at = (place, middle) => Math.floor(middle + ((place + 0.5) / (SIDE * fine) - 0.5) * size);
  return Array.from({ length: SIDE ** 2 }, (_, pixel) => {
    let sum = 0;
    for (let look = 0; look < fine ** 2; look++) {
      const y = at(Math.floor(pixel / SIDE) * fine + Math.floor(look / fine), middleY);
      const x = at((pixel % SIDE) * fine + (look % fine), middleX);
      if (y >= 0 && y < side && x >= 0 && x < side) sum += ink[y * side + x] > 0 ? 1 : 0;
    }
    return sum / fine ** 2;
  });
}
