// What a page of the site can do: formulas, sliders, day and night, search, menus of a phone, copying code.
"use strict";
{

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Formulas that were not set when the site was built: KaTeX, from the site's own files.
for (const place of all(".formula:not(:has(.katex))")) {
  katex.render(place.textContent, place, { displayMode: place.classList.contains("display") });
}

// Sliders work by themselves; here they also say their value to a screen reader.
for (const slider of all(".course-slider input")) {
  const say = () => slider.setAttribute("aria-valuetext", slider.dataset.labels.split("|")[slider.value]);
  slider.addEventListener("input", say);
  say();
}

// What scrolls can be reached by keyboard.
const scrolling = ".formula.display, .cell_output:has(img[data-wide]), .cell_output .output, .cell_output .text_html, pre, .pst-scrollable-table-container";
function reachable() {
  for (const box of all(scrolling)) {
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
for (const folded of all("details")) folded.addEventListener("toggle", reachable);

// Day and night: chosen in a menu, remembered if the browser allows it.
const root = document.documentElement;
const night = matchMedia("(prefers-color-scheme: dark)");
function paint() {
  const { mode } = root.dataset;
  root.dataset.theme = mode === "auto" ? (night.matches ? "dark" : "light") : mode;
  for (const choice of all(".theme-change-button")) choice.setAttribute("aria-pressed", choice.dataset.mode === mode);
}
night.addEventListener("change", paint);
paint();
for (const choice of all(".theme-change-button")) {
  choice.addEventListener("click", () => {
    root.dataset.mode = choice.dataset.mode;
    try { localStorage.setItem("mode", choice.dataset.mode); } catch { /* for this page only */ }
    paint();
  });
}
for (const menu of all(".theme-switch-container")) {
  const button = menu.querySelector(".theme-switch-button");
  const open = (yes) => {
    menu.querySelector(".dropdown-menu").classList.toggle("show", yes);
    button.setAttribute("aria-expanded", yes);
  };
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") === "false"));
  document.addEventListener("click", (event) => button.contains(event.target) || open(false));
  menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || open(false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the menu closes, not the dialog around it
    open(false);
    button.focus();
  });
}

// Dialogs: a click beside one closes it; Escape does so by itself.
const beside = (dialog) => dialog.addEventListener("click", ({ clientX: x, clientY: y, target }) => {
  const box = dialog.getBoundingClientRect();
  if (target === dialog && (x < box.left || x > box.right || y < box.top || y > box.bottom)) dialog.close();
});

// Search: the field of the page if it has one, otherwise that of the dialog.
const searching = document.getElementById("pst-search-dialog");
const field = document.querySelector("main form.bd-search input");
const search = () => (field ? field.select() : searching.open ? searching.close() : searching.showModal());
beside(searching);
for (const button of all(".search-button__button")) button.addEventListener("click", search);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  search();
});

// On a narrow screen a sidebar is a dialog: what it holds moves there and back.
for (const side of ["primary", "secondary"]) {
  const bar = document.getElementById(`pst-${side}-sidebar`);
  const dialog = document.getElementById(`pst-${side}-sidebar-modal`);
  const button = document.querySelector(`.${side}-toggle`);
  if (!bar || !dialog || !button) continue;
  const move = (from, to) => {
    to.append(...from.childNodes);
    [from.className, to.className] = ["", from.className];
  };
  button.addEventListener("click", () => {
    move(bar, dialog);
    dialog.showModal();
  });
  dialog.addEventListener("close", () => move(dialog, bar));
  dialog.addEventListener("click", (event) => event.target.closest("a[href*='#']") && dialog.close());
  beside(dialog);
}

// The section that is being read is marked in the list of the page's sections; the way back up appears when one scrolls up.
const links = all("#pst-page-toc-nav a").map((link) => [document.getElementById(decodeURIComponent(link.hash.slice(1))), link]);
const up = document.getElementById("pst-back-to-top");
up.addEventListener("click", () => scrollTo({ top: 0 }));
let before = scrollY;
function scrolled() {
  const read = links.findLast(([section]) => section?.getBoundingClientRect().top < 0.3 * innerHeight);
  for (const entry of links) {
    entry[1].classList.toggle("active", entry === read);
    if (entry === read) entry[1].setAttribute("aria-current", "true");
    else entry[1].removeAttribute("aria-current");
  }
  up.style.display = scrollY > innerHeight && scrollY < before ? "block" : "none";
  before = scrollY;
}
addEventListener("scroll", scrolled, { passive: true });
scrolled();

// Code can be copied.
for (const code of all(".highlight")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", async () => {
    const text = code.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code.querySelector("pre"));
      button.textContent = "selected";
    }
    setTimeout(() => (button.textContent = "copy"), 2000);
  });
  code.append(button);
}

}
