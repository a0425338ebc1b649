// Draw a digit: a canvas into the Vision Transformer of unit 09, with its answer, where it looked, and patches to blank out.
import { bars, choice, el, number, replace } from "./draw.js";
import { model as loadModel } from "./page.js";
import { argmax, softmax } from "./tensor.js";
import { ACROSS, blanked, classify, occlusion, rollout, shrink, SIDE } from "./vision.js";

const FINE = 32; // squares of the drawing's side
const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit));

/** A grid of pixels; `over` lays shares over its patches, `choose(patch)` makes patches buttons. */
function board(pixels, { over, blank = new Set(), choose, label }) {
  const cells = Array.from(pixels, (value, i) => el("i", { style: `--ink: ${value.toFixed(3)}` }));
  const patches = (over || choose) && Array.from({ length: ACROSS ** 2 }, (_, patch) => {
    const style = `--share: ${over ? over[patch].toFixed(3) : 0}`;
    const classes = blank.has(patch) ? "blank" : undefined;
    const named = `patch in row ${Math.floor(patch / ACROSS) + 1}, column ${(patch % ACROSS) + 1}`;
    if (!choose) return el("span", { style, class: classes });
    return el("button", { type: "button", style, class: classes, "data-cell": `0,${patch}`, "aria-pressed": String(blank.has(patch)), "aria-label": `blank out the ${named}`, onclick: () => choose(patch) });
  });
  return el("div", { class: "live-board", role: choose ? "group" : "img", "aria-label": label }, el("div", { class: "pixels" }, cells), patches && el("div", { class: "patches" }, patches));
}

const told = (shares) => `strongest in row ${Math.floor(argmax(shares) / ACROSS) + 1}, column ${(argmax(shares) % ACROSS) + 1}`;

export async function reader(place) {
  const model = await loadModel("reader");
  const example = (digit) => model.examples.slice(digit * SIDE ** 2, (digit + 1) * SIDE ** 2).map((value) => value / 16);
  const state = { pixels: example(4), ink: new Array(FINE ** 2).fill(0), blank: new Set() };
  const canvas = el("canvas", { width: FINE * 8, height: FINE * 8, class: "live-canvas", tabindex: 0, role: "application", "aria-label": "Draw a digit here with the mouse or a finger; with the keyboard, arrow keys move the pen, and the space bar puts it down and lifts it." });
  const pen = { x: FINE / 2, y: FINE / 4, down: false, used: false };
  const parts = { pixels: el("div"), answer: el("div", { class: "live-digits" }), rollout: el("div"), occlusion: el("div"), told: el("p", { class: "live-note", "aria-live": "polite" }) };

  /** What is drawn, enlarged. */
  function paint() {
    const brush = canvas.getContext("2d");
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.fillStyle = getComputedStyle(canvas).color;
    state.ink.forEach((value, i) => value && brush.fillRect((i % FINE) * 8, Math.floor(i / FINE) * 8, 8, 8));
    brush.fillStyle = "#d9691c";
    if (pen.used) brush.fillRect(pen.x * 8 - 8, pen.y * 8 - 8, 24, 24);
  }

  /** A round pen of three squares, from the last place to this one. */
  function stroke(from, to) {
    const steps = Math.max(1, Math.ceil(2 * Math.hypot(to[0] - from[0], to[1] - from[1])));
    for (let i = 0; i <= steps; i++) {
      const [x, y] = [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * i) / steps);
      for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) {
        const [px, py] = [Math.floor(x) + dx, Math.floor(y) + dy];
        if (px >= 0 && py >= 0 && px < FINE && py < FINE) state.ink[py * FINE + px] = 1;
      }
    }
    state.pixels = shrink(state.ink, FINE);
    paint();
    draw();
  }

  let last;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * FINE, ((event.clientY - box.top) / box.height) * FINE];
  };
  canvas.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    last = at(event);
    stroke(last, last);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const next = at(event);
    stroke(last, next);
    last = next;
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], " ": [0, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const from = [pen.x, pen.y];
    pen.used = true;
    if (event.key === " ") pen.down = !pen.down;
    pen.x = Math.min(FINE - 1, Math.max(0, pen.x + step[0]));
    pen.y = Math.min(FINE - 1, Math.max(0, pen.y + step[1]));
    pen.down ? stroke(from, [pen.x, pen.y]) : paint();
  });
  canvas.addEventListener("blur", () => {
    Object.assign(pen, { used: false, down: false });
    paint();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (last = undefined));

  function take(pixels) {
    Object.assign(state, { pixels, ink: new Array(FINE ** 2).fill(0), blank: new Set() });
    paint();
    draw();
  }

  function draw() {
    const empty = state.pixels.every((value) => value === 0);
    const pixels = blanked(state.pixels, state.blank);
    const record = [];
    const shares = softmax(classify(model, pixels, record));
    const answer = argmax(shares);
    const looked = rollout(record);
    const falls = occlusion(model, pixels);
    const top = Math.max(...falls, 1e-9);
    const flip = (patch) => {
      state.blank.has(patch) ? state.blank.delete(patch) : state.blank.add(patch);
      draw();
    };
    replace(parts.pixels, board(pixels, { blank: state.blank, choose: flip, label: "what the model sees, 8 by 8 pixels; press a patch to blank it out" }));
    replace(parts.answer, bars(DIGITS.map((digit, i) => [digit, shares[i]]), { best: answer }));
    replace(parts.rollout, board(pixels, { over: looked.map((value) => value / Math.max(...looked)), label: `rollout, ${told(looked)}` }));
    replace(parts.occlusion, board(pixels, { over: falls.map((value) => Math.max(value, 0) / top), label: `occlusion, ${told(falls)}` }));
    parts.told.textContent = empty ? "Nothing is drawn yet, and the model answers all the same: it has never seen an empty picture." : `It says ${answer}, with a probability of ${number(shares[answer])}. Rollout is ${told(looked)}, occlusion ${told(falls)}.`;
  }

  const named = (title, ...content) => el("div", {}, el("p", { class: "live-name" }, title), ...content);
  place.append(
    el("div", { class: "live-boards" }, named("draw here", canvas), named("what it sees: press a patch", parts.pixels), named("what it says", parts.answer), named("rollout: where it looked", parts.rollout), named("occlusion: what it needs", parts.occlusion)),
    choice("Take one of the test digits", DIGITS.map((digit) => [digit, digit]), "4", (digit) => take(example(+digit))),
    el("div", {}, el("button", { type: "button", class: "live-button", onclick: () => take(new Array(SIDE ** 2).fill(0)) }, "empty"), el("button", { type: "button", class: "live-button", onclick: () => {
      state.blank.clear();
      draw();
    } }, "all patches back")),
    parts.told,
    el("p", { class: "live-about" }, `${model.parameters.toLocaleString("en")} weights; ${number(100 * model.accuracy, 1)} % ${model.measured}. Your drawing is moved to the middle and brought to full height, as those digits were.`));
  draw();
}
