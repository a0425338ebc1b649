// The captioner of unit 10: an eye that sees 36 regions, and the decoder of unit 08 that asks them before every word.
import { causal, everything } from "./attention.js";
import { greedy } from "./search.js";
import { linear, map, matrix, relu, row, softmax } from "./tensor.js";
import { decoder } from "./transformer.js";

export const COLOURS = { red: [0.9, 0.2, 0.2], green: [0.2, 0.7, 0.3], blue: [0.2, 0.4, 0.9], yellow: [0.95, 0.8, 0.2] };
export const SHAPES = ["square", "circle", "cross"];
export const PIXELS = 24;
export const CELL = 8;
const REGION = 4; // pixels of a region's side
const ACROSS = PIXELS / REGION;

/** Is pixel (y, x) of a cell inked by the shape? */
export function inside(shape, y, x) {
  const [down, across] = [Math.abs(y - 3.5), Math.abs(x - 3.5)];
  if (shape === "square") return down < 3 && across < 3;
  if (shape === "circle") return down ** 2 + across ** 2 <= 11;
  return down < 1 || across < 1;
}

/** Things { colour, shape, cell } on a 3 x 3 grid -> a picture: three channels of 24 x 24 pixels on white. */
export function paint(things) {
  const picture = new Float64Array(3 * PIXELS ** 2).fill(1);
  for (const { colour, shape, cell } of things) {
    for (let y = 0; y < CELL; y++) {
      for (let x = 0; x < CELL; x++) {
        if (!inside(shape, y, x)) continue;
        const at = (Math.floor(cell / 3) * CELL + y) * PIXELS + (cell % 3) * CELL + x;
        COLOURS[colour].forEach((value, channel) => (picture[channel * PIXELS ** 2 + at] = value));
      }
    }
  }
  return picture;
}

/** Squares of a stack of channels as rows: (channels, side, side) -> (places, channels * size * size). */
function squares(channels, side, count, size, step, padding) {
  const across = (side + 2 * padding - size) / step + 1;
  const out = matrix(across ** 2, count * size * size);
  for (let place = 0; place < out.rows; place++) {
    const [top, left] = [Math.floor(place / across) * step - padding, (place % across) * step - padding];
    for (let i = 0; i < out.columns; i++) {
      const [y, x] = [top + Math.floor((i % size ** 2) / size), left + (i % size)];
      if (y >= 0 && y < side && x >= 0 && x < side) out.data[place * out.columns + i] = channels(Math.floor(i / size ** 2), y, x);
    }
  }
  return out;
}

/** A picture -> regions (36, D): two convolutions, each a linear layer on squares, and a vector for the place. */
export function see(model, picture) {
  const layer = (name, x) => relu(linear(x, model.get(`eye.features.${name}.weight`), model.get(`eye.features.${name}.bias`)));
  const ink = (channel, y, x) => 4 * (1 - picture[channel * PIXELS ** 2 + y * PIXELS + x]);
  const first = layer(0, squares(ink, PIXELS, 3, REGION, REGION, 0));
  const feature = (channel, y, x) => first.data[(y * ACROSS + x) * first.columns + channel];
  const second = layer(2, squares(feature, ACROSS, first.columns, 3, 1, 1));
  return map(second, (value, i) => value + model.get("eye.places").data[i]);
}

/** Regions and the words so far -> logits (T, V) of the next word at every place; `record` gets all weights. */
export function tell(model, regions, tokens, record = undefined) {
  const x = matrix(tokens.length, regions.columns);
  const places = model.get("places");
  tokens.forEach((token, t) => row(x, t).set(row(model.get("embed.weight"), token).map((value, i) => value + places.data[t * x.columns + i])));
  const selfLook = { allowed: causal(tokens.length, tokens.length), record };
  const out = decoder(model, "decoder", x, regions, selfLook, { allowed: everything, record });
  return linear(out, model.get("out.weight"), model.get("out.bias"));
}

/** A picture -> the words of its caption, each with its probability, and the cross-attention (T, 36) of every layer and head. */
export function describe(model, picture, longest = model.longest) {
  const regions = see(model, picture);
  const next = (tokens) => row(tell(model, regions, tokens), tokens.length - 1);
  const tokens = greedy(next, model, longest);
  const record = [];
  const logits = tell(model, regions, [model.bos, ...tokens.slice(0, -1)], record);
  const told = tokens.map((token, t) => ({ token, word: model.words[token], chance: softmax(row(logits, t))[token] }));
  return { told, looks: record.filter(({ name }) => name.endsWith("cross_attention")) };
}
