// Small pieces of a page: elements, matrices as tables, lines between words, bars and trees. Colours come from live.css.

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

/** An element of HTML: el("p", { class: "note", onclick: act }, "text", other). */
export const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** An element of SVG. */
export const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

let made = 0;
/** A name that no other element of the page has. */
export const fresh = (stem) => `live-${stem}-${++made}`;

/** A weight in two digits; what is forbidden is a cross, and what is allowed but small is not shown as nothing. */
export function share(value, allowed = true) {
  if (!allowed) return "×";
  if (Number.isNaN(value)) return "NaN";
  if (value > 0 && value < 0.005) return "<.01";
  return value >= 0.995 ? "1" : value.toFixed(2).replace(/^0/, "");
}

/** A number as a person would write it. */
export function number(value, digits = 2) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  return String(+value.toFixed(digits)).replace("-", "−");
}

/** How solid a cell is: the shade of a weight from 0 to 1. */
export const shade = (value) => `--shade: ${Number.isFinite(value) ? Math.min(Math.abs(value), 1).toFixed(3) : 0}`;

/**
 * A matrix as a table with a name for every row and column. `cell(i, j)` tells what stands in a cell:
 * { text, shade, sign, barred, label }. With `choose(i, j)` cells become buttons; arrow keys go from one to the next.
 */
export function table(rowNames, columnNames, cell, { caption, corner = "", choose, chosen, kind = "" } = {}) {
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

/**
 * Words on the left that are looked at, words on the right that look, and lines between them as thick as the weights.
 * `focus` is { side, index } or undefined; `choose(focus)` is called when a word is pressed or pointed at.
 */
export function lines(keys, queries, weights, allowed, focus, choose) {
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

/** The lines in words: for every word that looks, what it looks at most. */
export function spoken(keys, queries, weights) {
  return queries.map((query, q) => {
    const best = weights[q].indexOf(Math.max(...weights[q]));
    return `${query} looks most at ${keys[best]} (${share(weights[q][best])})`;
  }).join("; ");
}

/** A matrix as a picture the size of a stamp. */
export function stamp(weights, size = 44) {
  const [rows, columns] = [weights.length, weights[0]?.length ?? 1];
  const cells = weights.flatMap((line, i) => line.map((weight, j) => weight > 0.03 && svg("rect", { x: j / columns, y: i / rows, width: 1 / columns, height: 1 / rows, opacity: weight.toFixed(2) })));
  return svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", width: size, height: size, "aria-hidden": "true", class: "live-stamp" }, cells);
}

/** Named bars from 0 to 1. */
export function bars(entries, { best = -1 } = {}) {
  return el("ol", { class: "live-bars" }, entries.map(([name, value], i) => el("li", { class: i === best ? "best" : undefined }, el("span", {}, name), el("i", { style: `--share: ${(100 * value).toFixed(1)}%` }), el("b", {}, share(value)))));
}

/** The tree of a search, growing from left to right: steps of { label, score, parent, kept, final }. */
export function tree(steps, label) {
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

/** A slider with its name and its value beside it. */
export function slider(name, { min, max, step, value, text = number }, change) {
  const id = fresh("slider");
  const output = el("output", { for: id }, text(value));
  const input = el("input", { id, type: "range", min, max, step, value, "aria-valuetext": text(value), oninput: (event) => {
    output.textContent = text(+event.target.value);
    event.target.setAttribute("aria-valuetext", output.textContent);
    change(+event.target.value);
  } });
  return el("div", { class: "live-slider" }, el("label", { for: id }, name), input, output);
}

/** A switch with its name. */
export function toggle(name, on, change) {
  const input = el("input", { type: "checkbox", checked: on, onchange: (event) => change(event.target.checked) });
  return el("label", { class: "live-toggle" }, input, el("span", {}, name));
}

/** One of several, as a row of buttons. */
export function choice(name, options, value, change) {
  const group = fresh("choice");
  const radio = ([key, text]) => el("label", {}, el("input", { type: "radio", name: group, value: key, checked: key === value, onchange: () => change(key) }), el("span", {}, text));
  return el("fieldset", { class: "live-choice" }, el("legend", {}, name), el("div", {}, options.map(radio)));
}

export function select(name, options, value, change) {
  const id = fresh("select");
  const list = el("select", { id, onchange: (event) => change(event.target.value) }, options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
  return el("span", { class: "live-select" }, el("label", { for: id }, name), list);
}

/** Put new children into a place without losing the focus of the keyboard. */
export function replace(place, ...children) {
  const active = place.contains(document.activeElement) ? document.activeElement : undefined;
  const mark = active && (active.dataset.cell ? `[data-cell="${active.dataset.cell}"]` : undefined);
  const order = active ? [...place.querySelectorAll("button, input, select, summary, [tabindex]")].indexOf(active) : -1;
  place.replaceChildren(...children.flat().filter(Boolean));
  if (!active) return;
  const again = (mark && place.querySelector(mark)) || place.querySelectorAll("button, input, select, summary, [tabindex]")[order];
  again?.focus({ preventScroll: true });
}
