// The Transformer of units 07 and 08: blocks, positions, and the translator that is made of them.
import { causal, everything, multiHead } from "./attention.js";
import { add, below, layerNorm, linear, matrix, relu, row } from "./tensor.js";

const norm = (model, name, x) => layerNorm(x, model.get(`${name}.weight`), model.get(`${name}.bias`));
const dense = (model, name, x) => linear(x, model.get(`${name}.weight`), model.get(`${name}.bias`));
const feedForward = (model, name, x) => dense(model, `${name}.outer`, relu(dense(model, `${name}.inner`, x)));

/** The number of blocks in a stack. */
export function depth(model, stack) {
  let count = 0;
  while (model.has(`${stack}.blocks.${count}.norm1.weight`)) count++;
  return count;
}

/** A stack of encoder blocks; with `model.normFirst` the norm stands before each layer, and one more at the end. */
export function encoder(model, stack, x, look) {
  for (let i = 0; i < depth(model, stack); i++) {
    const name = `${stack}.blocks.${i}`;
    const attention = (input) => multiHead(model, `${name}.attention`, input, input, look);
    const think = (input) => feedForward(model, `${name}.feed_forward`, input);
    if (model.normFirst) {
      x = add(x, attention(norm(model, `${name}.norm1`, x)));
      x = add(x, think(norm(model, `${name}.norm2`, x)));
    } else {
      x = norm(model, `${name}.norm1`, add(x, attention(x)));
      x = norm(model, `${name}.norm2`, add(x, think(x)));
    }
  }
  return model.normFirst ? norm(model, `${stack}.norm`, x) : x;
}

/** A stack of decoder blocks: look at what is written, look at the memory, think. */
export function decoder(model, stack, x, memory, selfLook, memoryLook) {
  for (let i = 0; i < depth(model, stack); i++) {
    const name = `${stack}.blocks.${i}`;
    x = norm(model, `${name}.norm1`, add(x, multiHead(model, `${name}.self_attention`, x, x, selfLook)));
    x = norm(model, `${name}.norm2`, add(x, multiHead(model, `${name}.cross_attention`, x, memory, memoryLook)));
    x = norm(model, `${name}.norm3`, add(x, feedForward(model, `${name}.feed_forward`, x)));
  }
  return x;
}

/** Tokens -> their vectors, scaled, with sines and cosines of their positions added. */
function placed(table, tokens, first = 0) {
  const dim = table.columns;
  const x = matrix(tokens.length, dim);
  tokens.forEach((token, t) => {
    const word = row(table, token);
    row(x, t).set(word.map((value, i) => {
      const angle = (first + t) * 10000 ** (-(i - (i % 2)) / dim);
      return value * Math.sqrt(dim) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
    }));
  });
  return x;
}

/** What a reader can switch: both masks, and single heads by their names ("decoder.blocks.1.cross_attention.2"). */
export const AS_TRAINED = { causal: true, padding: true, off: new Set() };

/** Source tokens -> memory (S, D), and who may look at which part of it. */
export function encode(model, source, settings = AS_TRAINED, record = undefined) {
  const allowed = settings.padding ? (t, s) => source[s] !== model.pad : everything;
  const x = placed(model.get("embed_source.weight"), source);
  return { memory: encoder(model, "encoder", x, { allowed, off: settings.off, record }), allowed };
}

/** Target tokens and an encoded source -> logits (T, V): row t is about the token after target[t]. */
export function decode(model, target, { memory, allowed }, settings = AS_TRAINED, record = undefined, cache = undefined) {
  const past = cache?.length ?? 0;
  const fresh = target.slice(past); // with a cache only these rows are computed
  const x = placed(model.get("embed_target.weight"), fresh, past);
  const look = { off: settings.off, record };
  const selfLook = { ...look, allowed: settings.causal ? causal(fresh.length, target.length, past) : everything, remembered: cache && grow(cache) };
  const memoryLook = { ...look, allowed, remembered: cache && keep(cache) };
  const out = decoder(model, "decoder", x, memory, selfLook, memoryLook);
  if (cache) cache.length = target.length;
  return dense(model, "out", out);
}

/** The cache of unit 08: keys and values of what is written are kept, and those of the new rows are put below them. */
const grow = (cache) => (name, compute) => {
  const fresh = compute();
  const kept = cache.parts.get(name);
  const all = kept ? kept.map((part, i) => below(part, fresh[i])) : fresh;
  cache.parts.set(name, all);
  return all;
};

/** Keys and values of the source never change: once is enough. */
const keep = (cache) => (name, compute) => {
  if (!cache.parts.has(name)) cache.parts.set(name, compute());
  return cache.parts.get(name);
};

export const emptyCache = () => ({ length: 0, parts: new Map() });
