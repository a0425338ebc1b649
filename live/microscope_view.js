// The microscope on a page: numbers that can be changed, cells that show their arithmetic, and mistakes that can be put in.
import { choice, el, number, replace, share, table, toggle } from "./draw.js";
import { attention, damage, MISTAKES } from "./microscope.js";
import { seeded } from "./search.js";

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

/** May query t look at key s? */
function maskOf(kind, rows, columns) {
  const hides = (t, s) => (kind !== "padding" && s > t) || (kind !== "causal" && s === columns - 1);
  return kind === "none" ? undefined : Array.from({ length: rows }, (_, t) => Array.from({ length: columns }, (_, s) => !hides(t, s)));
}

const vector = (numbers) => `(${numbers.map((value) => number(value)).join(", ")})`;
const sum = (terms) => terms.join(" + ").replaceAll("+ −", "− ");

export async function microscope(place, options = {}, figure = undefined) {
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

  /** Queries, keys and values as numbers that can be changed. */
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

  /** The whole way of one cell, in numbers. */
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
