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
