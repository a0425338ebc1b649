// Writing word by word: the likeliest word, the best few beginnings, or a draw. `next(tokens)` gives the logits of the next token.
import { argmax, logSoftmax, softmax } from "./tensor.js";

export function greedy(next, { bos, eos }, longest) {
  const tokens = [];
  while (tokens.length < longest && tokens.at(-1) !== eos) tokens.push(argmax(next([bos, ...tokens])));
  return tokens;
}

/**
 * Beam search as in unit 08: a finished sentence competes as it is. Besides the best sentence and its log probability it tells
 * the tree that it has grown: `steps[i]` are the beginnings of step i, those that were kept and the best of those that were not.
 */
export function beamSearch(next, { bos, eos }, longest, beams, shown = 2) {
  let kept = [{ tokens: [], score: 0, parent: 0, kept: true }];
  const steps = [kept];
  for (let step = 0; step < longest && !kept.every((one) => one.tokens.at(-1) === eos); step++) {
    const candidates = kept.flatMap((one, parent) => {
      if (one.tokens.at(-1) === eos) return [{ ...one, parent, waiting: true }];
      return logSoftmax(next([bos, ...one.tokens])).map((value, token) => ({ tokens: [...one.tokens, token], score: one.score + value, parent }));
    });
    candidates.sort((a, b) => b.score - a.score);
    const lost = candidates.slice(beams, beams + shown).map((one) => ({ ...one, kept: false }));
    kept = candidates.slice(0, beams).map((one) => ({ ...one, kept: true }));
    steps.push([...kept, ...lost]);
  }
  return { tokens: kept[0].tokens, score: kept[0].score, steps };
}

/** Logits -> probabilities: divided by the temperature, and only the `top` likeliest words stay (0: all). */
export function chances(logits, temperature, top = 0) {
  const numbers = Array.from(logits);
  const least = top > 0 && top < numbers.length ? [...numbers].sort((a, b) => b - a)[top - 1] : -Infinity;
  return softmax(numbers.map((value) => (value >= least ? value / temperature : -Infinity)));
}

/** Draw every word; `random()` gives numbers from 0 to 1. */
export function sample(next, { bos, eos }, longest, { temperature, top, random }) {
  const tokens = [];
  while (tokens.length < longest && tokens.at(-1) !== eos) {
    const shares = chances(next([bos, ...tokens]), temperature, top);
    let left = random();
    let token = shares.findIndex((share) => (left -= share) < 0);
    if (token < 0) token = argmax(shares); // the shares sum to a hair less than one
    tokens.push(token);
  }
  return tokens;
}

/** Random numbers from a seed, so that a draw can be shown again. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
