// The bandwidth of unit 01: points to drag, a query to move, and the curve of weighted means through them.
import { el, fresh, number, replace, slider, svg } from "./draw.js";
import { gaussianWeights, leaveOneOut, predict } from "./regression.js";
import { seeded } from "./search.js";

const [WIDTH, HEIGHT, LEFT, TOP] = [560, 260, 10, 10];
const [WIDEST, HIGHEST] = [5, 2.4]; // x from 0 to 5, y from -2.4 to 2.4

function points(seed) {
  const random = seeded(seed);
  const xs = Array.from({ length: 14 }, () => Math.round(500 * random()) / 100).sort((a, b) => a - b);
  return xs.map((x) => ({ x, y: Math.round(100 * (1.4 * Math.sin(1.9 * x) + 0.9 * (random() - 0.5))) / 100 }));
}

export async function bandwidth(place) {
  const state = { points: points(3), bandwidth: 0.3, query: 2.5, held: undefined };
  const x = (value) => LEFT + (value / WIDEST) * WIDTH;
  const y = (value) => TOP + HEIGHT / 2 - (value / HIGHEST) * (HEIGHT / 2);
  const parts = { chart: el("div"), told: el("p", { class: "live-note", "aria-live": "polite" }) };
  const title = fresh("chart");

  function draw() {
    const keys = state.points.map((point) => point.x);
    const values = state.points.map((point) => point.y);
    const weights = gaussianWeights(state.query, keys, state.bandwidth);
    const top = Math.max(...weights);
    const at = predict(state.query, keys, values, state.bandwidth);
    const curve = Array.from({ length: 141 }, (_, i) => (i / 140) * WIDEST).map((q) => `${x(q).toFixed(1)},${y(predict(q, keys, values, state.bandwidth)).toFixed(1)}`);
    const dots = state.points.map((point, i) => svg("circle", { cx: x(point.x), cy: y(point.y), r: 5 + 8 * weights[i], class: "dot", style: `--weight: ${(weights[i] / top).toFixed(3)}`, tabindex: 0, role: "slider", "aria-label": `point ${i + 1}`, "aria-valuenow": point.y, "aria-valuemin": -HIGHEST, "aria-valuemax": HIGHEST, "aria-valuetext": `at ${number(point.x)}, ${number(point.y)}, weight ${number(weights[i])}`, "data-cell": `0,${i}`, onkeydown: nudge(i), onpointerdown: hold(i) }));
    const chart = svg("svg", { viewBox: `0 0 ${WIDTH + 2 * LEFT} ${HEIGHT + 2 * TOP}`, class: "live-chart", role: "group", "aria-labelledby": title, onpointermove: drag, onpointerup: drop, onpointerleave: drop },
      svg("title", { id: title }, "Points, the curve of weighted means through them, and one query"),
      svg("line", { class: "axis", x1: LEFT, x2: LEFT + WIDTH, y1: y(0), y2: y(0) }),
      svg("line", { class: "query", x1: x(state.query), x2: x(state.query), y1: TOP, y2: TOP + HEIGHT }),
      svg("polyline", { class: "curve", points: curve.join(" ") }), dots,
      svg("circle", { class: "answer", cx: x(state.query), cy: y(at), r: 6 }));
    replace(parts.chart, chart);
    const nearest = weights.indexOf(top);
    parts.told.textContent = `At ${number(state.query)} the prediction is ${number(at)}; the largest weight, ${number(top)}, belongs to the point at ${number(keys[nearest])}. Error when every point is predicted from the others: ${number(leaveOneOut(keys, values, state.bandwidth), 3)}.`;
  }

  const move = (i, dx, dy) => {
    const point = state.points[i];
    point.x = Math.round(100 * Math.min(WIDEST, Math.max(0, point.x + dx))) / 100;
    point.y = Math.round(100 * Math.min(HIGHEST, Math.max(-HIGHEST, point.y + dy))) / 100;
    draw();
  };
  const nudge = (i) => (event) => {
    const step = { ArrowUp: [0, 0.1], ArrowDown: [0, -0.1], ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    move(i, ...step);
  };
  const hold = (i) => (event) => {
    event.preventDefault();
    state.held = i;
  };
  const drop = () => (state.held = undefined);
  const drag = (event) => {
    if (state.held === undefined) return;
    const box = event.currentTarget.getBoundingClientRect();
    const scale = (WIDTH + 2 * LEFT) / box.width;
    const point = state.points[state.held];
    const [px, py] = [((event.clientX - box.left) * scale - LEFT) / WIDTH * WIDEST, (TOP + HEIGHT / 2 - (event.clientY - box.top) * scale) / (HEIGHT / 2) * HIGHEST];
    move(state.held, px - point.x, py - point.y);
  };

  let seed = 3;
  place.append(parts.chart,
    slider("bandwidth", { min: -2, max: 1, step: 0.05, value: Math.log10(state.bandwidth), text: (value) => number(10 ** value) }, (value) => {
      state.bandwidth = 10 ** value;
      draw();
    }),
    slider("query", { min: 0, max: WIDEST, step: 0.05, value: state.query }, (value) => {
      state.query = value;
      draw();
    }),
    el("button", { type: "button", class: "live-button", onclick: () => {
      state.points = points(++seed);
      draw();
    } }, "other points"), parts.told, el("p", { class: "live-about" }, "Drag a point, or go to it with Tab and move it with the arrow keys. The darker a point, the more it counts for the query."));
  draw();
}
