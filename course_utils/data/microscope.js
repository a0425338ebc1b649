(() => {
"use strict";
const $draw = (() => {
const SVG = "http://www.w3.org/2000/svg";
function filled(element, attributes, children) {
for (const [name, value] of Object.entries(attributes)) {
if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
else if (value === true) element.setAttribute(name, "");
else if (value !== false && value !== undefined) element.setAttribute(name, value);
}
element.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
return element;
}
const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
let made = 0;
const fresh = (stem) => `live-${stem}-${++made}`;
function share(value, allowed = true) {
if (!allowed) return "×";
if (Number.isNaN(value)) return "NaN";
if (value > 0 && value < 0.005) return "<.01";
return value >= 0.995 ? "1" : value.toFixed(2).replace(/^0/, "");
}
function number(value, digits = 2) {
if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
return String(+value.toFixed(digits)).replace("-", "−");
}
const shade = (value) => `--shade: ${Number.isFinite(value) ? Math.min(Math.abs(value), 1).toFixed(3) : 0}`;
function table(rowNames, columnNames, cell, { caption, corner = "", choose, chosen, kind = "" } = {}) {
const place = (i, j) => {
const { text, shade: depth = 0, negative, barred, label } = cell(i, j);
const isChosen = chosen && chosen[0] === i && chosen[1] === j;
const classes = ["live-cell", negative && "negative", barred && "barred", isChosen && "chosen"].filter(Boolean).join(" ");
if (!choose) return el("td", { class: classes, style: shade(depth) }, text);
const first = isChosen || (!chosen && i === 0 && j === 0);
const button = el("button", { type: "button", tabindex: first ? 0 : -1, "data-cell": `${i},${j}`, "aria-pressed": isChosen ? "true" : "false", "aria-label": label ?? `${rowNames[i]}, ${columnNames[j]}: ${text}`, onclick: () => choose(i, j) }, text);
return el("td", { class: classes, style: shade(depth) }, button);
};
const head = el("tr", {}, el("td", { class: "corner" }, corner), columnNames.map((name) => el("th", { scope: "col" }, el("span", {}, name))));
const body = rowNames.map((name, i) => el("tr", {}, el("th", { scope: "row" }, name), columnNames.map((_, j) => place(i, j))));
const move = (event) => {
const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
const [i, j] = event.target.dataset?.cell?.split(",").map(Number) ?? [];
const next = step && event.currentTarget.querySelector(`[data-cell="${i + step[0]},${j + step[1]}"]`);
if (!next) return;
event.preventDefault();
next.focus();
};
const made = el("table", { class: `live-matrix ${kind}`, onkeydown: move }, caption && el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body));
return el("div", { class: "live-scroll", tabindex: choose ? undefined : 0, role: "group", "aria-label": caption ?? "matrix" }, made);
}
function lines(keys, queries, weights, allowed, focus, choose) {
const line = 27;
const height = line * Math.max(keys.length, queries.length);
const inFocus = (q, k) => !focus || (focus.side === "query" ? focus.index === q : focus.index === k);
const paths = [];
queries.forEach((_, q) => keys.forEach((_, k) => {
const weight = weights[q][k];
if (!(weight > 0.02) || !inFocus(q, k)) return;
const [from, to] = [line * (k + 0.5), line * (q + 0.5)];
paths.push(svg("path", { d: `M0 ${from} C 45 ${from} 55 ${to} 100 ${to}`, "stroke-width": (0.6 + 5 * weight).toFixed(2), opacity: Math.min(1, 0.15 + weight).toFixed(2) }));
}));
const weightBeside = (side, index) => {
if (!focus || focus.side === side) return "";
const [q, k] = side === "key" ? [focus.index, index] : [index, focus.index];
return share(weights[q][k], allowed(q, k));
};
const word = (side) => (text, index) => {
const pressed = focus?.side === side && focus.index === index;
const toggle = () => choose(pressed ? undefined : { side, index });
return el("button", { type: "button", class: "live-word", "aria-pressed": String(pressed), onclick: toggle, title: side === "query" ? "what does it look at?" : "who looks at it?" }, el("span", {}, text), el("small", {}, weightBeside(side, index)));
};
const picture = svg("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": spoken(keys, queries, weights), style: `height: ${height}px` }, paths);
return el("div", { class: "live-lines", style: `--line: ${line}px` }, el("div", { class: "keys" }, keys.map(word("key"))), picture, el("div", { class: "queries" }, queries.map(word("query"))));
}
function spoken(keys, queries, weights) {
return queries.map((query, q) => {
const best = weights[q].indexOf(Math.max(...weights[q]));
return `${query} looks most at ${keys[best]} (${share(weights[q][best])})`;
}).join("; ");
}
function stamp(weights, size = 44) {
const [rows, columns] = [weights.length, weights[0]?.length ?? 1];
const cells = weights.flatMap((line, i) => line.map((weight, j) => weight > 0.03 && svg("rect", { x: j / columns, y: i / rows, width: 1 / columns, height: 1 / rows, opacity: weight.toFixed(2) })));
return svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", width: size, height: size, "aria-hidden": "true", class: "live-stamp" }, cells);
}
function bars(entries, { best = -1 } = {}) {
return el("ol", { class: "live-bars" }, entries.map(([name, value], i) => el("li", { class: i === best ? "best" : undefined }, el("span", {}, name), el("i", { style: `--share: ${(100 * value).toFixed(1)}%` }), el("b", {}, share(value)))));
}
function tree(steps, label) {
const [wide, high, left, top] = [114, 30, 8, 18];
const x = (step) => left + step * wide;
const y = (index) => top + index * high;
const nodes = [];
const links = [];
steps.forEach((nodesOfStep, step) => nodesOfStep.forEach((node, index) => {
const delay = `--step: ${step}`;
const classes = `${node.kept ? "kept" : "lost"}${node.best ? " best" : ""}`;
if (step > 0) {
const [x0, y0, x1, y1] = [x(step - 1) + wide - 22, y(node.parent), x(step), y(index)];
links.push(svg("path", { class: classes, style: delay, d: `M${x0} ${y0} C ${x0 + 14} ${y0} ${x1 - 14} ${y1} ${x1} ${y1}` }));
}
nodes.push(svg("g", { class: classes, style: delay }, svg("rect", { x: x(step), y: y(index) - 12, width: wide - 22, height: 24, rx: 6 }), svg("text", { x: x(step) + 6, y: y(index) - 1 }, node.label), svg("text", { x: x(step) + 6, y: y(index) + 9, class: "score" }, node.score)));
}));
const most = Math.max(...steps.map((step) => step.length));
const [width, height] = [x(steps.length) + left, y(most - 1) + top];
return el("div", { class: "live-scroll", tabindex: 0, role: "group", "aria-label": "tree of the search" }, svg("svg", { class: "live-tree", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, links, nodes));
}
function slider(name, { min, max, step, value, text = number }, change) {
const id = fresh("slider");
const output = el("output", { for: id }, text(value));
const input = el("input", { id, type: "range", min, max, step, value, "aria-valuetext": text(value), oninput: (event) => {
output.textContent = text(+event.target.value);
event.target.setAttribute("aria-valuetext", output.textContent);
change(+event.target.value);
} });
return el("div", { class: "live-slider" }, el("label", { for: id }, name), input, output);
}
function toggle(name, on, change) {
const input = el("input", { type: "checkbox", checked: on, onchange: (event) => change(event.target.checked) });
return el("label", { class: "live-toggle" }, input, el("span", {}, name));
}
function choice(name, options, value, change) {
const group = fresh("choice");
const radio = ([key, text]) => el("label", {}, el("input", { type: "radio", name: group, value: key, checked: key === value, onchange: () => change(key) }), el("span", {}, text));
return el("fieldset", { class: "live-choice" }, el("legend", {}, name), el("div", {}, options.map(radio)));
}
function select(name, options, value, change) {
const id = fresh("select");
const list = el("select", { id, onchange: (event) => change(event.target.value) }, options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
return el("span", { class: "live-select" }, el("label", { for: id }, name), list);
}
function replace(place, ...children) {
const active = place.contains(document.activeElement) ? document.activeElement : undefined;
const mark = active && (active.dataset.cell ? `[data-cell="${active.dataset.cell}"]` : undefined);
const order = active ? [...place.querySelectorAll("button, input, select, summary, [tabindex]")].indexOf(active) : -1;
place.replaceChildren(...children.flat().filter(Boolean));
if (!active) return;
const again = (mark && place.querySelector(mark)) || place.querySelectorAll("button, input, select, summary, [tabindex]")[order];
again?.focus({ preventScroll: true });
}
return { el, svg, fresh, share, number, shade, table, lines, spoken, stamp, bars, tree, slider, toggle, choice, select, replace };
})();
const $tensor = (() => {
const work = { multiplications: 0 };
function matrix(rows, columns, data = new Float64Array(rows * columns)) {
return { rows, columns, data };
}
function fromRows(rows) {
return matrix(rows.length, rows[0]?.length ?? 0, Float64Array.from(rows.flat()));
}
function row(a, i) {
return a.data.subarray(i * a.columns, (i + 1) * a.columns);
}
function toRows(a) {
return Array.from({ length: a.rows }, (_, i) => Array.from(row(a, i)));
}
function transposed(a) {
const out = matrix(a.columns, a.rows);
for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.columns; j++) out.data[j * a.rows + i] = a.data[i * a.columns + j];
return out;
}
function product(a, b) {
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
function linear(x, weight, bias) {
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
function map(a, change) {
return matrix(a.rows, a.columns, a.data.map(change));
}
function add(a, b) {
return map(a, (value, i) => value + b.data[i]);
}
const relu = (a) => map(a, (value) => Math.max(value, 0));
function rowsOf(a, first, last) {
return matrix(last - first, a.columns, a.data.slice(first * a.columns, last * a.columns));
}
function columnsOf(a, first, last) {
const out = matrix(a.rows, last - first);
for (let i = 0; i < a.rows; i++) row(out, i).set(row(a, i).subarray(first, last));
return out;
}
function below(a, b) {
const out = matrix(a.rows + b.rows, b.columns);
out.data.set(a.data);
out.data.set(b.data, a.data.length);
return out;
}
function beside(parts) {
const out = matrix(parts[0].rows, parts.reduce((sum, part) => sum + part.columns, 0));
let at = 0;
for (const part of parts) {
for (let i = 0; i < part.rows; i++) row(out, i).set(row(part, i), at);
at += part.columns;
}
return out;
}
function softmax(numbers) {
const top = Math.max(...numbers);
const powers = Array.from(numbers, (value) => Math.exp(value - top));
const sum = powers.reduce((total, value) => total + value, 0);
return powers.map((value) => value / sum);
}
function logSoftmax(numbers) {
const top = Math.max(...numbers);
const sum = numbers.reduce((total, value) => total + Math.exp(value - top), 0);
return Array.from(numbers, (value) => value - top - Math.log(sum));
}
function layerNorm(x, gamma, beta, epsilon = 1e-5) {
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
function argmax(numbers) {
let best = 0;
for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
return best;
}
return { work, matrix, fromRows, row, toRows, transposed, product, linear, map, add, relu, rowsOf, columnsOf, below, beside, softmax, logSoftmax, layerNorm, argmax };
})();
const $attention = (() => {
const { beside, columnsOf, linear, matrix, product, row, softmax, transposed } = $tensor;
function causal(rows, columns, past = 0) {
return (t, s) => s <= past + t;
}
const everything = () => true;
function attend(q, k, v, allowed = everything) {
const scores = product(q, transposed(k));
const scale = 1 / Math.sqrt(k.columns);
const weights = matrix(scores.rows, scores.columns);
for (let t = 0; t < scores.rows; t++) {
const scaled = row(scores, t).map((score, s) => (allowed(t, s) ? score * scale : -Infinity));
row(weights, t).set(softmax(scaled).map((weight) => weight || 0)); // NaN: nothing is allowed, so nothing is taken
}
return { scores, weights, output: product(weights, v) };
}
function splitHeads(x, heads) {
const width = x.columns / heads;
return Array.from({ length: heads }, (_, h) => columnsOf(x, h * width, (h + 1) * width));
}
function multiHead(model, name, x, memory, { allowed, off = new Set(), record, remembered }) {
const part = (layer, input) => linear(input, model.get(`${name}.${layer}.weight`), model.get(`${name}.${layer}.bias`));
const keysAndValues = () => [part("key", memory), part("value", memory)];
const [keys, values] = remembered ? remembered(name, keysAndValues) : keysAndValues();
const [q, k, v] = [part("query", x), keys, values].map((whole) => splitHeads(whole, model.heads));
const heads = q.map((query, h) => attend(query, k[h], v[h], allowed));
record?.push({ name, weights: heads.map((head) => head.weights) });
const outputs = heads.map((head, h) => (off.has(`${name}.${h}`) ? matrix(head.output.rows, head.output.columns) : head.output));
return part("out", beside(outputs));
}
return { causal, everything, attend, splitHeads, multiHead };
})();
const $microscope = (() => {
const { fromRows, matrix, product, row, softmax, toRows, transposed } = $tensor;
const { splitHeads } = $attention;
const MISTAKES = {
scale: "the scores are not divided by √d",
axis: "softmax over the queries",
fill: "forbidden scores become 0",
view: "heads split by view alone",
};
function viewHeads(x, heads) {
const width = x.columns / heads;
const size = x.rows * width;
return Array.from({ length: heads }, (_, h) => matrix(x.rows, width, x.data.slice(h * size, (h + 1) * size)));
}
function shares(scores, alongColumns) {
const lines = alongColumns ? transposed(scores) : scores;
const out = matrix(lines.rows, lines.columns);
for (let i = 0; i < lines.rows; i++) row(out, i).set(softmax(row(lines, i)));
return alongColumns ? transposed(out) : out;
}
function attention({ q, k, v, mask, heads = 1 }, mistakes = new Set()) {
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
function damage(right, wrong) {
const far = (a, b) => Math.max(0, ...a.flat(3).map((value, i) => {
const other = b.flat(3)[i];
return Number.isNaN(other) ? Infinity : Math.abs(value - other);
}));
const weights = (result) => result.heads.map((part) => part.weights);
return { weights: far(weights(right), weights(wrong)), output: far(right.output, wrong.output) };
}
return { MISTAKES, viewHeads, attention, damage };
})();
const $search = (() => {
const { argmax, logSoftmax, softmax } = $tensor;
function greedy(next, { bos, eos }, longest) {
const tokens = [];
while (tokens.length < longest && tokens.at(-1) !== eos) tokens.push(argmax(next([bos, ...tokens])));
return tokens;
}
function beamSearch(next, { bos, eos }, longest, beams, shown = 2) {
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
function chances(logits, temperature, top = 0) {
const numbers = Array.from(logits);
const least = top > 0 && top < numbers.length ? [...numbers].sort((a, b) => b - a)[top - 1] : -Infinity;
return softmax(numbers.map((value) => (value >= least ? value / temperature : -Infinity)));
}
function sample(next, { bos, eos }, longest, { temperature, top, random }) {
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
function seeded(seed) {
let state = seed >>> 0;
return () => {
state = (state + 0x6d2b79f5) >>> 0;
let t = Math.imul(state ^ (state >>> 15), state | 1);
t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
}
return { greedy, beamSearch, chances, sample, seeded };
})();
const $microscope_view = (() => {
const { choice, el, number, replace, share, table, toggle } = $draw;
const { attention, damage, MISTAKES } = $microscope;
const { seeded } = $search;
const SENTENCE = {
names: ["she", "sends", "a", "letter"],
q: [[0, 2, 0.5, 0], [2, 0, 2, 0], [0, 0.5, 2, 0], [0, 1.5, 0, 1]],
k: [[2, 0, 0, 0.5], [0, 2, 0.5, 0], [0, 0, 0.5, 2], [0, 0.5, 2, 0]],
v: [[1, 0, 2, 0], [0, 3, 0, 1], [0, 0, 0, 1], [2, 1, 0, 3]],
};
const MASKS = [["none", "none"], ["causal", "causal"], ["padding", "last word is padding"], ["both", "both"]];
const STAGES = [["products", "q · k"], ["scaled", "÷ √d"], ["masked", "mask"], ["weights", "softmax"]];
function drawnNumbers(seed) {
const random = seeded(seed);
const rows = () => Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => Math.round(40 * (random() - 0.5)) / 10));
return { names: ["1", "2", "3", "4"], q: rows(), k: rows(), v: rows() };
}
function maskOf(kind, rows, columns) {
const hides = (t, s) => (kind !== "padding" && s > t) || (kind !== "causal" && s === columns - 1);
return kind === "none" ? undefined : Array.from({ length: rows }, (_, t) => Array.from({ length: columns }, (_, s) => !hides(t, s)));
}
const vector = (numbers) => `(${numbers.map((value) => number(value)).join(", ")})`;
const sum = (terms) => terms.join(" + ").replaceAll("+ −", "− ");
async function microscope(place, options = {}, figure = undefined) {
const own = options.numbers ? JSON.parse(options.numbers) : undefined;
const state = {
source: own ? "own" : "sentence",
data: structuredClone(own ?? SENTENCE),
seed: 1,
mask: own?.mask ? "own" : (options.mask ?? "none"),
heads: +(options.heads ?? 1),
head: 0,
stage: "weights",
cell: [1, 0],
mistakes: new Set((options.mistakes ?? "").split(",").filter((name) => name in MISTAKES)),
};
const parts = { controls: el("div"), inputs: el("div", { class: "live-tables" }), matrix: el("div"), story: el("div", { class: "live-story", "aria-live": "polite" }), mistakes: el("div"), card: el("div") };
let right;
let shown;
const mask = () => (state.mask === "own" ? own.mask : maskOf(state.mask, state.data.q.length, state.data.k.length));
const names = (side) => (state.data[side === "q" ? "queries" : "keys"] ?? state.data.names ?? state.data[side].map((_, i) => String(i + 1))).slice(0, state.data[side].length);
function update(changes = {}) {
Object.assign(state, changes);
const { q, k, v } = state.data;
const can = q[0].length % 2 === 0 && v[0].length % 2 === 0;
if (!can) state.heads = 1;
state.head = Math.min(state.head, state.heads - 1);
state.cell = [Math.min(state.cell[0], q.length - 1), Math.min(state.cell[1], k.length - 1)];
const given = { q, k, v, mask: mask(), heads: state.heads };
right = attention(given);
shown = state.mistakes.size ? attention(given, state.mistakes) : right;
drawControls(can);
drawInputs();
drawResult();
}
function drawResult() {
drawMatrix();
drawStory();
drawMistakes();
}
function drawControls(can) {
const sources = [["sentence", "a sentence"], ["random", "random numbers"], ...(own ? [["own", "your tensors"]] : [])];
const take = (source) => {
const data = { sentence: SENTENCE, own, random: drawnNumbers(++state.seed) }[source];
update({ source, data: structuredClone(data), mask: source === "own" && own.mask ? "own" : state.mask === "own" ? "none" : state.mask });
};
const masks = state.source === "own" && own.mask ? [["own", "yours"], ...MASKS] : MASKS;
replace(parts.controls, choice("Numbers", sources, state.source, take), state.source === "random" && el("button", { type: "button", class: "live-button", onclick: () => take("random") }, "other numbers"), choice("Mask", masks, state.mask, (kind) => update({ mask: kind })), can && choice("Heads", [["1", "1"], ["2", "2"]], String(state.heads), (count) => update({ heads: +count })));
}
function drawInputs() {
const inputs = (side, title) => {
const rows = state.data[side];
const change = (i, j) => (event) => {
const value = Number(event.target.value);
if (event.target.value.trim() === "" || !Number.isFinite(value)) return;
rows[i][j] = Math.max(-1000, Math.min(1000, value));
const { q, k, v } = state.data;
const given = { q, k, v, mask: mask(), heads: state.heads };
right = attention(given);
shown = state.mistakes.size ? attention(given, state.mistakes) : right;
drawResult();
};
const cell = (i, j) => ({ shade: Math.min(Math.abs(rows[i][j]) / 4, 1), negative: rows[i][j] < 0, text: el("input", { type: "number", step: 0.1, value: +rows[i][j].toFixed(3), "aria-label": `${title} of ${names(side)[i]}, feature ${j + 1}`, oninput: change(i, j) }) });
return table(names(side).map((name) => name), rows[0].map((_, j) => String(j + 1)), cell, { caption: title, kind: "inputs" });
};
replace(parts.inputs, inputs("q", "queries"), inputs("k", "keys"), inputs("v", "values"));
}
function drawMatrix() {
const part = shown.heads[state.head];
const truth = right.heads[state.head];
const numbers = part[state.stage];
const top = Math.max(...numbers.flat().filter(Number.isFinite).map(Math.abs), 1e-9);
const isWeight = state.stage === "weights";
const cell = (t, s) => {
const value = numbers[t][s];
const allowed = shown.allowed(t, s);
const off = state.mistakes.size > 0 && !(Math.abs(value - truth[state.stage][t][s]) < 1e-9) && !Object.is(value, truth[state.stage][t][s]);
const barred = !allowed && (isWeight || state.stage === "masked") && (value === 0 || value === -Infinity) && !state.mistakes.has("fill");
const text = isWeight ? share(value, !barred) : number(value);
return { text: off ? el("u", {}, text) : text, shade: isWeight ? value : Math.abs(value) / top, negative: !isWeight && value < 0, barred, label: `${names("q")[t]} looks at ${names("k")[s]}: ${text}${off ? ", wrong" : ""}` };
};
const choose = (t, s) => {
state.cell = [t, s];
drawMatrix();
drawStory();
};
const rows = names("q");
const columns = names("k");
const matrix = table(rows, columns, cell, { choose, chosen: state.cell, caption: `${{ products: "q · k", scaled: "scaled scores", masked: "masked scores", weights: "weights" }[state.stage]}: queries ↓, keys →` });
const outputs = table(rows, shown.output[0].map((_, j) => String(j + 1)), (t, j) => {
const value = shown.output[t][j];
const off = state.mistakes.size > 0 && !(Math.abs(value - right.output[t][j]) < 1e-9);
return { text: off ? el("u", {}, number(value)) : number(value), shade: Math.min(Math.abs(value) / 4, 1), negative: value < 0 };
}, { caption: "output" });
replace(parts.matrix, choice("Show", STAGES, state.stage, (stage) => {
state.stage = stage;
drawMatrix();
}), state.heads > 1 && choice("Head", Array.from({ length: state.heads }, (_, h) => [String(h), String(h + 1)]), String(state.head), (head) => {
state.head = +head;
drawResult();
}), el("div", { class: "live-tables" }, matrix, outputs));
}
function drawStory() {
const [t, s] = state.cell;
const part = shown.heads[state.head];
const [from, to] = [names("q")[t], names("k")[s]];
const terms = part.q[t].map((value, j) => `${number(value)}·${number(part.k[s][j])}`);
const product = part.products[t][s];
const scaled = part.scaled[t][s];
const masked = part.masked[t][s];
const allowed = shown.allowed(t, s);
const axis = state.mistakes.has("axis");
const line = axis ? part.masked.map((scores) => scores[s]) : part.masked[t];
const powers = line.map((value) => Math.exp(value));
const total = powers.reduce((a, b) => a + b, 0);
const width = part.q[t].length;
const step = (name, ...text) => [el("dt", {}, name), el("dd", {}, ...text)];
const others = line.map((value) => `e^${number(value)}`).join(" + ");
const weights = part.weights[t];
replace(parts.story, el("p", {}, el("strong", {}, `${from} looks at ${to}`), state.heads > 1 ? `, head ${state.head + 1}` : ""), el("dl", {},
step("product", `${sum(terms)} = ${number(product)}`),
step("scale", state.mistakes.has("scale") ? el("u", {}, `forgotten: ${number(scaled)}`) : `${number(product)} ÷ √${width} = ${number(scaled)}`),
step("mask", allowed ? `allowed: ${number(masked)}` : state.mistakes.has("fill") ? el("u", {}, "forbidden, but set to 0") : "forbidden: −∞"),
step("softmax", axis ? el("u", {}, "over the column: ") : "over the row: ", `e^${number(masked)} ÷ (${others}) = ${number(Math.exp(masked))} ÷ ${number(total)} = ${share(part.weights[t][s])}`),
step("sum", `output of ${from} = ${sum(weights.map((weight, i) => `${share(weight)}·${vector(part.v[i])}`))} = ${vector(part.output[t])}`)));
}
const cards = new Map([...(figure?.querySelectorAll("template[data-card]") ?? [])].map((card) => [card.dataset.card, card]));
function drawMistakes() {
const flip = (name) => (on) => {
on ? state.mistakes.add(name) : state.mistakes.delete(name);
update();
};
const { weights, output } = damage(right, shown);
const far = (value) => (value === Infinity ? "NaN appears" : `off by up to ${number(value)}`);
const hints = [
state.mistakes.has("view") && state.heads === 1 && "With one head there is nothing to split: choose two heads to see the damage.",
state.mistakes.has("fill") && state.mask === "none" && "Nothing is forbidden: choose a mask to see the damage.",
].filter(Boolean);
const told = state.mistakes.size === 0 ? "Put a mistake in and see what happens." : weights === 0 && output === 0 ? "With these numbers it makes no difference, and that is why it is hard to find." : `Weights: ${far(weights)}. Output: ${far(output)}.`;
const toggles = Object.entries(MISTAKES).map(([name, text]) => toggle(text, state.mistakes.has(name), flip(name)));
const shownCards = [...state.mistakes].filter((name) => cards.has(name)).map((name) => el("div", { class: "live-card" }, cards.get(name).content.cloneNode(true)));
replace(parts.mistakes, el("div", {}, toggles), el("p", { class: "live-note", role: "status" }, [told, ...hints].join(" ")));
replace(parts.card, shownCards.length > 0 && el("p", { class: "live-note" }, "What a student who writes this is told:"), ...shownCards);
}
place.append(parts.controls, parts.inputs, parts.matrix, parts.story, el("p", { class: "live-title" }, "Mistakes"), parts.mistakes, parts.card);
update();
}
return { microscope };
})();
const $notebook = (() => {
const { el } = $draw;
const { microscope } = $microscope_view;
async function open(id) {
const figure = document.getElementById(id);
if (!figure || figure.dataset.state) return;
figure.dataset.state = "waking";
const place = el("div", { class: "live-place" });
await microscope(place, figure.dataset, figure);
figure.querySelector(".live-still")?.remove();
figure.prepend(place);
figure.dataset.state = "alive";
}
return { open };
})();
globalThis.live = { draw: $draw, tensor: $tensor, attention: $attention, microscope: $microscope, search: $search, microscope_view: $microscope_view, notebook: $notebook };
})();
