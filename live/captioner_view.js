// Compose a scene: shapes on a grid, and the captioner of unit 10 that says what it sees while the region it looks at lights up.
import { COLOURS, describe, inside, paint, SHAPES } from "./captioner.js";
import { choice, el, number, replace, select, svg } from "./draw.js";
import { model as loadModel } from "./page.js";
import { toRows } from "./tensor.js";

const PLACES = ["top left", "top centre", "top right", "middle left", "middle centre", "middle right", "bottom left", "bottom centre", "bottom right"];
const ACROSS = 6;
const css = (colour) => `rgb(${COLOURS[colour].map((part) => Math.round(255 * part)).join(" ")})`;

/** A shape as the model sees it: its pixels. */
function pixels(shape, colour, left, top) {
  const squares = [];
  for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) if (inside(shape, y, x)) squares.push(`M${left + x} ${top + y}h1v1h-1z`);
  return svg("path", { d: squares.join(""), fill: css(colour) });
}

export async function captioner(place) {
  const model = await loadModel("captioner");
  const state = { things: [{ colour: "red", shape: "circle", cell: 0 }, { colour: "blue", shape: "cross", cell: 5 }], colour: "green", shape: "square", word: 0, layer: "1", head: "all", timer: undefined };
  const parts = { scene: el("div"), words: el("p", { class: "live-answer" }), told: el("p", { class: "live-note" }), palette: el("div") };
  const spoken = el("p", { class: "live-hidden", "aria-live": "polite" });
  let result;

  /** Where the chosen layer and head looked before every word. */
  function looks() {
    const heads = result.looks[+state.layer].weights.map(toRows);
    if (state.head !== "all") return heads[+state.head];
    return heads[0].map((line, t) => line.map((_, r) => heads.reduce((sum, head) => sum + head[t][r], 0) / heads.length));
  }

  function update() {
    clearInterval(state.timer);
    result = describe(model, paint(state.things));
    spoken.textContent = `It says: ${result.told.map(({ word }) => word).filter((word) => word !== "<eos>").join(" ")}`;
    speak();
  }

  /** Word by word; at once for those who want no motion. */
  function speak() {
    clearInterval(state.timer);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    state.word = still ? result.told.length - 1 : 0;
    state.shown = still ? result.told.length : 1;
    draw();
    if (still) return;
    state.timer = setInterval(() => {
      if (state.shown >= result.told.length) return clearInterval(state.timer);
      state.word = state.shown++;
      draw();
    }, 550);
  }

  function put(cell) {
    const there = state.things.findIndex((thing) => thing.cell === cell);
    const same = there >= 0 && state.things[there].colour === state.colour && state.things[there].shape === state.shape;
    if (there >= 0) state.things.splice(there, 1);
    if (!same) state.things.push({ colour: state.colour, shape: state.shape, cell });
    update();
  }

  function draw() {
    const weights = looks()[state.word];
    const top = Math.max(...weights);
    const shapes = state.things.map(({ colour, shape, cell }) => pixels(shape, colour, 8 * (cell % 3), 8 * Math.floor(cell / 3)));
    const light = weights.map((weight, r) => svg("rect", { class: "look", x: 4 * (r % ACROSS), y: 4 * Math.floor(r / ACROSS), width: 4, height: 4, "fill-opacity": (0.65 * (weight / top)).toFixed(3) }));
    const here = (cell) => state.things.find((thing) => thing.cell === cell);
    const buttons = PLACES.map((name, cell) => {
      const thing = here(cell);
      return el("button", { type: "button", "data-cell": `${Math.floor(cell / 3)},${cell % 3}`, "aria-label": `${name}: ${thing ? `${thing.colour} ${thing.shape}` : "empty"}`, onclick: () => put(cell) });
    });
    replace(parts.scene, el("div", { class: "live-scene" }, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", "shape-rendering": "crispEdges" }, svg("rect", { width: 24, height: 24, fill: "#fff" }), shapes, light), el("div", {}, buttons)));
    const told = result.told.slice(0, state.shown);
    replace(parts.words, ...told.flatMap(({ word, chance }, t) => [el("button", { type: "button", class: "live-word", "aria-pressed": String(t === state.word), title: `probability ${number(chance)}`, onclick: () => {
      clearInterval(state.timer);
      Object.assign(state, { word: t, shown: result.told.length });
      draw();
    } }, word === "<eos>" ? "⟨end⟩" : word), " "]));
    const { word, chance } = result.told[state.word];
    const where = weights.indexOf(top);
    const cell = Math.floor(Math.floor(where / ACROSS) / 2) * 3 + Math.floor((where % ACROSS) / 2);
    const warning = state.things.length === 0 || state.things.length > 2 ? " It has only ever seen one or two shapes." : "";
    parts.told.textContent = `Before “${word === "<eos>" ? "⟨end⟩" : word}” (probability ${number(chance)}) it looks most at the ${PLACES[cell]}.${warning}`;
  }

  const kinds = [["0", "layer 1"], ["1", "layer 2"]];
  const heads = [["all", "mean of the heads"], ...[0, 1, 2, 3].map((head) => [String(head), `head ${head + 1}`])];
  const set = (name) => (value) => {
    state[name] = value;
    if (name === "layer" || name === "head") draw();
  };
  place.append(
    el("div", { class: "live-compose" }, parts.scene, el("div", {},
      choice("Colour", Object.keys(COLOURS).map((name) => [name, name]), state.colour, set("colour")),
      choice("Shape", SHAPES.map((name) => [name, name]), state.shape, set("shape")),
      el("p", { class: "live-note" }, "Press a cell to put the shape there; press it again to take it away."),
      el("button", { type: "button", class: "live-button", onclick: () => {
        state.things = [];
        update();
      } }, "empty"), el("button", { type: "button", class: "live-button", onclick: speak }, "say it again"),
      el("div", {}, select("looks of", kinds, state.layer, set("layer")), select("heads", heads, state.head, set("head"))))),
    parts.words, parts.told, spoken,
    el("p", { class: "live-about" }, `${model.parameters.toLocaleString("en")} weights; ${number(100 * model.accuracy, 1)} % ${model.measured}. Press a word to see where it looked.`));
  update();
}
