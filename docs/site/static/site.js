// Formulas: KaTeX, from the site's own files.
for (const place of document.querySelectorAll(".formula")) {
  katex.render(place.textContent, place, { displayMode: place.classList.contains("display") });
}

// Sliders work by themselves; here they also say their value to a screen reader.
for (const slider of document.querySelectorAll(".course-slider input")) {
  const say = () => slider.setAttribute("aria-valuetext", slider.dataset.labels.split("|")[slider.value]);
  slider.addEventListener("input", say);
  say();
}

// What scrolls sideways can be reached by keyboard.
for (const box of document.querySelectorAll(".formula.display, .cell_output .text_html, .cell_output pre")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}

// A browser lets no page read another one from disk: there, search shows its results without the lines around them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
