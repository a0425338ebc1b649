// Formulas: KaTeX, from the site's own files.
for (const place of document.querySelectorAll(".formula")) {
  katex.render(place.textContent, place, { displayMode: place.classList.contains("display"), throwOnError: true });
}
