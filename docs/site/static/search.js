// The search of the site: every section of every page, lectures first, with the lines around what was found.
"use strict";

// Words that mean the same here: whoever looks for one of a line finds the others as well.
const SYNONYMS = [
  ["leakage", "leak", "look-ahead", "lookahead", "future", "peek", "sees_the_future", "causal"],
  ["padding", "pad", "padded", "<pad>"],
  ["bandwidth", "kernel width", "smoothing"],
  ["softmax", "normalise", "normalize"],
  ["heads", "head", "multi-head", "multihead"],
  ["positions", "position", "positional", "order"],
  ["vit", "vision transformer", "patches"],
  ["captioning", "caption", "captioner", "describe"],
  ["translation", "translate", "translator", "seq2seq"],
  ["kv cache", "kv-cache", "cache", "cached"],
  ["decoding", "beam", "greedy", "sampling"],
  ["grading", "grade", "autograder", "marks"],
];
const WORTH = { lecture: 3, assignment: 1.6, guide: 1.5, API: 1 };

const plain = (text) => text.toLowerCase();
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const meanings = (word) => [word, ...SYNONYMS.filter((line) => line.includes(word)).flat().filter((other) => other !== word)];
/** A word at the beginning of a word of the text; a synonym only counts as a whole word or its plural. */
const pattern = (word, whole) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}${whole ? "(?![\\p{L}\\p{N}])" : ""}`, "giu");

function score(terms, heading, text, title) {
  let total = 0;
  for (const term of terms) {
    let best = 0;
    for (const [i, { find }] of term.entries()) {
      const share = i === 0 ? 1 : 0.5;
      const count = (where) => (where.match(find) ?? []).length;
      best = Math.max(best, share * (8 * Math.min(count(heading), 1) + 4 * Math.min(count(title), 1) + Math.min(count(text), 5)));
    }
    if (best === 0) return 0;
    total += best;
  }
  return total;
}

function results(query) {
  const words = plain(query).match(/[\p{L}\p{N}_<>.√-]+/gu) ?? [];
  const terms = words.map((word) => meanings(word).map((one, i) => ({ find: pattern(one, i > 0) })));
  if (!terms.length) return [];
  const found = [];
  for (const [address, kind, sections] of SEARCH) {
    const title = sections[0]?.[1] ?? address;
    for (const [place, heading, text] of sections) {
      const worth = score(terms, heading, text, title) * WORTH[kind];
      if (worth > 0) found.push({ worth, address, kind, title, place, heading, text, terms });
    }
  }
  return found.sort((a, b) => b.worth - a.worth).slice(0, 40);
}

/** The lines around the first word that was found, with all found words marked. */
function snippet({ text, terms }) {
  const finds = terms.flat().map(({ find }) => find);
  const first = Math.min(...finds.map((find) => text.search(find)).filter((place) => place >= 0), text.length);
  const start = Math.max(0, first === text.length ? 0 : first - 70);
  const part = `${start > 0 ? "… " : ""}${text.slice(start, start + 230)}${text.length > start + 230 ? " …" : ""}`;
  const line = document.createElement("p");
  const all = new RegExp(finds.map((find) => find.source).join("|"), "giu");
  let at = 0;
  for (const match of part.matchAll(all)) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    line.append(part.slice(at, match.index), mark);
    at = match.index + match[0].length;
  }
  line.append(part.slice(at));
  return line;
}

function show(query) {
  const place = document.getElementById("search-results");
  const found = results(query);
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  if (!query.trim()) count.textContent = "Type a word.";
  else if (!found.length) count.textContent = "Your search did not match any documents. Try a single word, such as mask or softmax.";
  else count.textContent = `${found.length === 40 ? "The best 40" : found.length} places with “${query}”:`;
  const list = document.createElement("ul");
  for (const one of found) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${one.address}${one.place ? `#${one.place}` : ""}`;
    link.textContent = one.heading && one.heading !== one.title ? `${one.title} › ${one.heading}` : one.title;
    const kind = document.createElement("span");
    kind.textContent = ` ${one.kind}`;
    item.append(link, kind, snippet(one));
    list.append(item);
  }
  place.replaceChildren(count, list);
}

const field = document.querySelector(".bd-search-container input[name=q]");
const asked = new URLSearchParams(location.search).get("q") ?? "";
if (field) {
  field.value = asked;
  field.addEventListener("input", () => show(field.value));
  show(asked);
}
