// The translator on a page: a sentence to choose or type, its translation, all heads, the masks, the search and the cache.
import { bars, choice, el, lines, number, replace, select, share, slider, stamp, table, toggle, tree } from "./draw.js";
import { model as loadModel } from "./page.js";
import { beamSearch, chances, sample, seeded } from "./search.js";
import { row, toRows, work } from "./tensor.js";
import { AS_TRAINED, decode, emptyCache, encode } from "./transformer.js";
import { read } from "./words.js";

const SLOTS = [
  ["who", ["I am", "you are", "she is", "he is", "we are"]],
  ["does what", ["writing", "reading", "sending", "pronouncing"]],
  ["article", ["a", "the"]],
  ["adjective", ["", "long", "red", "old", "short"]],
  ["ending", ["to her", "to my friend", "from the bank", "in the envelope", "of the alphabet", "of the word", "on the keyboard", "of my name"]],
];
const LONGEST = 14; // words that are written at most
const READ = 20; // words that are read at most
const PADDING = 3; // empty places after the sentence, as in a batch with a longer one
const count = (value) => Math.round(value).toLocaleString("en");

/** The sentence that the boxes say. */
export const sentence = (words) => `${words.slice(0, 4).filter(Boolean).join(" ")} letter ${words[4]}`;

/** "decoder.blocks.1.cross_attention" -> "decoder 2, looks at the source". */
export function title(name) {
  const [stack, , block, kind] = name.split(".");
  const what = { attention: "looks at its own words", self_attention: "looks at what is written", cross_attention: "looks at the source" }[kind];
  return `${stack} ${+block + 1}, ${what}`;
}

/** Everything that one sentence and one set of switches lead to. */
export function translate(model, tokens, settings, writing) {
  const source = [...tokens, ...new Array(PADDING).fill(model.pad)];
  const encoded = encode(model, source, settings);
  const logitsOf = (written, cache) => toRows(decode(model, written, encoded, settings, undefined, cache)).at(-1);
  const next = (written) => logitsOf(written);
  const searched = beamSearch(next, model, LONGEST, writing.how === "beam" ? writing.beams : 1);
  const options = { temperature: writing.temperature, top: writing.top, random: seeded(writing.seed) };
  const written = writing.how === "draw" ? sample(next, model, LONGEST, options) : searched.tokens;
  const record = [];
  encode(model, source, settings, record);
  const input = [model.bos, ...written.slice(0, -1)];
  const logits = decode(model, input, encoded, settings, record);
  return { source, written, input, record, searched, logits, cost: cost(model, input, encoded, settings, logitsOf) };
}

/** Multiplications to write these words one by one, with and without a cache. */
function cost(model, input, encoded, settings, logitsOf) {
  const measure = (cache) => {
    work.multiplications = 0;
    for (let t = 1; t <= input.length; t++) logitsOf(input.slice(0, t), cache);
    return work.multiplications;
  };
  return { without: measure(undefined), with: settings.causal ? measure(emptyCache()) : undefined };
}

export async function translator(place, { size = "full", sentence: first = "2,0,0,1,1" } = {}) {
  const model = await loadModel("translator");
  const state = {
    words: first.split(",").map((index, slot) => SLOTS[slot][1][+index]),
    text: undefined,
    layer: "decoder.blocks.1.cross_attention",
    head: "all",
    focus: undefined,
    settings: { ...AS_TRAINED, off: new Set() },
    writing: { how: "greedy", beams: 3, temperature: 1.5, top: 0, seed: 1 },
    word: 0,
  };
  state.text = sentence(state.words);
  const parts = { answer: el("div"), picture: el("div"), heads: el("div"), switches: el("div"), search: el("div"), cache: el("div") };
  const spokenAnswer = el("p", { class: "live-hidden", "aria-live": "polite" });
  const input = el("input", { type: "text", value: state.text, "aria-label": "English sentence", spellcheck: "false", autocomplete: "off", maxlength: 2000, oninput: (event) => update({ text: event.target.value }) });

  const boxes = el("div", { class: "live-slots" }, SLOTS.map(([name, options], slot) => [
    slot === 4 && el("span", {}, "letter"),
    el("select", { "aria-label": name, onchange: (event) => {
      state.words[slot] = event.target.value;
      input.value = sentence(state.words);
      update({ text: input.value });
    } }, options.map((text) => el("option", { value: text, selected: text === state.words[slot] }, text || "–"))),
  ]));

  let result;
  let trained;
  let notes = [];

  function update(changes = {}) {
    Object.assign(state, changes);
    const understood = read(state.text, model.english, READ);
    notes = understood.notes;
    state.focus = undefined;
    const changed = state.settings.off.size || !state.settings.causal || !state.settings.padding;
    result = understood.tokens.length ? translate(model, understood.tokens, state.settings, state.writing) : undefined;
    trained = result && changed ? translate(model, understood.tokens, AS_TRAINED, { ...state.writing, how: "greedy" }) : undefined;
    state.word = Math.min(state.word, (result?.written.length ?? 1) - 1);
    draw();
  }

  const english = (token) => model.english[token];
  const spanish = (token) => (token === model.eos ? "⟨end⟩" : model.spanish[token]);
  const say = (tokens) => tokens.filter((token) => token !== model.eos).map((token) => model.spanish[token]).join(" ");

  /** The words on both sides of the attention that is looked at, its weights, and what is allowed. */
  function view() {
    const layer = result.record.find(({ name }) => name === state.layer);
    const heads = layer.weights.map(toRows);
    const weights = state.head === "all" ? heads[0].map((line, q) => line.map((_, k) => heads.reduce((sum, head) => sum + head[q][k], 0) / heads.length)) : heads[+state.head];
    const written = result.input.map((token) => (token === model.bos ? "⟨begin⟩" : spanish(token)));
    const source = result.source.map(english);
    const isPad = (k) => result.source[k] === model.pad;
    if (state.layer.includes("self_attention")) return { keys: written, queries: written, weights, allowed: (q, k) => !state.settings.causal || k <= q };
    const queries = state.layer.startsWith("encoder") ? source : result.written.map(spanish);
    const allowed = (q, k) => !state.settings.padding || !isPad(k);
    const keep = state.settings.padding ? source.filter((_, k) => !isPad(k)).length : source.length; // hidden padding needs no room
    const rows = state.layer.startsWith("encoder") ? keep : queries.length;
    return { keys: source.slice(0, keep), queries: queries.slice(0, rows), weights: weights.slice(0, rows).map((line) => line.slice(0, keep)), allowed };
  }

  function draw() {
    const said = notes.map((note) => el("p", { class: "live-note" }, note));
    if (!result) {
      replace(parts.answer, ...said);
      spokenAnswer.textContent = notes.join(" ");
      for (const name of ["picture", "heads", "search", "cache"]) replace(parts[name]);
      drawSwitches();
      return;
    }
    const before = trained && trained.written;
    const words = result.written.filter((token) => token !== model.eos).map((token, t) => el("span", { class: before && before[t] !== token ? "changed" : undefined }, `${model.spanish[token]} `));
    const compared = before && el("p", { class: "live-note" }, say(before) === say(result.written) ? "The same as with everything switched on." : `With everything switched on: ${say(before)}`);
    replace(parts.answer, el("p", { class: "live-answer", lang: "es" }, words.length ? words : "(nothing)"), compared, ...said);
    spokenAnswer.textContent = `Translation: ${say(result.written)}. ${notes.join(" ")}`;
    drawPicture();
    if (size === "full" || opened) drawMore();
  }

  function drawPicture() {
    const { keys, queries, weights, allowed } = view();
    const choose = (focus) => {
      state.focus = focus;
      drawPicture();
    };
    replace(parts.picture, lines(keys, queries, weights, allowed, state.focus, choose));
  }

  let opened = false;
  function drawMore() {
    drawHeads();
    drawSwitches();
    drawSearch();
    drawCache();
  }

  function drawHeads() {
    const look = (layer, head) => () => {
      Object.assign(state, { layer, head, focus: undefined });
      drawPicture();
      drawHeads();
    };
    const grid = result.record.map(({ name, weights }) => el("div", { class: "live-heads-row" }, el("span", {}, title(name)), weights.map((head, h) => {
      const off = state.settings.off.has(`${name}.${h}`);
      const chosen = state.layer === name && state.head === String(h);
      return el("button", { type: "button", class: off ? "off" : undefined, "aria-pressed": String(chosen), "aria-label": `${title(name)}, head ${h + 1}${off ? ", switched off" : ""}`, onclick: look(name, String(h)) }, stamp(toRows(head)));
    }), el("button", { type: "button", class: "all", "aria-pressed": String(state.layer === name && state.head === "all"), "aria-label": `${title(name)}, mean of the heads`, onclick: look(name, "all") }, "mean")));
    const names = result.record.find(({ name }) => name === state.layer).weights.map((_, h) => `${state.layer}.${h}`);
    const mine = state.head === "all" ? names : [names[+state.head]];
    const isOn = !mine.every((name) => state.settings.off.has(name));
    const flip = (on) => {
      for (const name of mine) on ? state.settings.off.delete(name) : state.settings.off.add(name);
      update();
    };
    const { keys, queries, weights, allowed } = view();
    const named = `${title(state.layer)}, ${state.head === "all" ? "mean of its heads" : `head ${+state.head + 1}`}`;
    const cell = (q, k) => ({ text: share(weights[q][k], allowed(q, k)), shade: weights[q][k], barred: !allowed(q, k) });
    replace(parts.heads, el("div", { class: "live-heads" }, grid), toggle(state.head === "all" ? "these four heads are on" : "this head is on", isOn, flip), state.settings.off.size > 0 && el("button", { type: "button", class: "live-button", onclick: () => {
      state.settings.off.clear();
      update();
    } }, "all heads on again"), el("details", {}, el("summary", {}, "The numbers"), table(queries, keys, cell, { caption: named, kind: "small" })));
  }

  function drawSwitches() {
    const flip = (name) => (on) => {
      state.settings[name] = on;
      update();
    };
    const said = [
      !state.settings.padding && `${PADDING} empty places follow the sentence, as in a batch with a longer one. Now its words and the translation look at them as well.`,
      !state.settings.causal && "Words that are written already now look at those after them, which they never could in training.",
    ].filter(Boolean);
    replace(parts.switches, toggle("padding mask", state.settings.padding, flip("padding")), toggle("causal mask", state.settings.causal, flip("causal")), ...said.map((text) => el("p", { class: "live-note" }, text)));
  }

  function drawSearch() {
    const set = (name) => (value) => update({ writing: { ...state.writing, [name]: value } });
    const { how, beams, temperature, top } = state.writing;
    const top_ = (value) => (value ? `${value}` : "all");
    const controls = {
      greedy: [],
      beam: [slider("beams", { min: 1, max: 5, step: 1, value: beams }, set("beams"))],
      draw: [
        slider("temperature", { min: 0.1, max: 4, step: 0.1, value: temperature }, set("temperature")),
        slider("top-k", { min: 0, max: 20, step: 1, value: top, text: top_ }, set("top")),
        el("button", { type: "button", class: "live-button", onclick: () => set("seed")(state.writing.seed + 1) }, "draw again"),
      ],
    }[how];
    const shown = how === "draw" ? drawn() : grown();
    replace(parts.search, choice("How the next word is chosen", [["greedy", "the likeliest"], ["beam", "beam search"], ["draw", "draw"]], how, set("how")), ...controls, shown);
  }

  function grown() {
    const best = result.searched.tokens;
    const steps = result.searched.steps.map((nodes) => nodes.map((node) => ({
      label: node.tokens.length ? spanish(node.tokens.at(-1)) : "⟨begin⟩",
      score: node.tokens.length ? number(node.score) : "0",
      parent: node.parent,
      kept: node.kept,
      best: node.kept && node.tokens.every((token, t) => token === best[t]) && (node.tokens.length < best.length || !node.waiting),
    })));
    const told = `The best sentence, ${say(best)}, has the log probability ${number(result.searched.score)}`;
    return [tree(steps, told), el("p", { class: "live-note" }, `${told}. Below each word: the log probability of the sentence up to it. Dashed: not kept.`)];
  }

  function drawn() {
    const t = state.word;
    const logits = row(result.logits, t);
    const shares = chances(logits, state.writing.temperature, state.writing.top);
    const ranked = [...shares.keys()].sort((a, b) => shares[b] - shares[a]).slice(0, 8);
    const entries = ranked.map((token) => [spanish(token), shares[token]]);
    const pick = select("the chances of word", result.written.map((token, i) => [String(i), `${i + 1}: ${spanish(token)}`]), String(t), (value) => {
      state.word = +value;
      drawSearch();
    });
    return [pick, bars(entries, { best: ranked.indexOf(result.written[t]) })];
  }

  function drawCache() {
    const { without, with: cached } = result.cost;
    const text = cached === undefined
      ? "Without the causal mask nothing can be kept: every new word changes what the words before it have become."
      : `Writing these ${result.written.length} words takes ${count(without)} multiplications. With a cache of keys and values it takes ${count(cached)}: ${Math.round(100 * (1 - cached / without))} % are saved, and not one number changes.`;
    const bar = cached !== undefined && el("div", { class: "live-cost", "aria-hidden": "true" }, el("i", { style: "--share: 100%" }), el("i", { class: "less", style: `--share: ${(100 * cached) / without}%` }));
    replace(parts.cache, bar, el("p", { class: "live-note" }, text));
  }

  const section = (name, open, ...content) => el("details", { class: "live-section", open }, el("summary", {}, name), ...content);
  const more = size === "full"
    ? [section("Every head", false, parts.heads), section("Masks", false, parts.switches), section("Search", false, parts.search), section("Cache", false, parts.cache)]
    : [el("details", { class: "live-section", ontoggle: (event) => {
      opened = event.target.open;
      if (opened && result) drawMore();
    } }, el("summary", {}, "Heads, masks, search, cache"), parts.heads, parts.switches, parts.search, parts.cache)];
  place.append(boxes, input, parts.answer, parts.picture, spokenAnswer, ...more, el("p", { class: "live-about" }, `${count(model.parameters)} weights; ${number(100 * model.accuracy, 1)} % ${model.measured}. Press a word to see where it looks.`));
  update();
}

