"use strict";
for (const section of document.querySelectorAll("section.unit")) {
  const table = section.querySelector("table.heat"), body = table.tBodies[0], rows = [...body.rows];
  const search = section.querySelector("input[type=search]"), flagged = section.querySelector("input[type=checkbox]"), count = section.querySelector("output");
  const value = (row, column) => {
    const cell = row.cells[column];
    return column === 0 ? cell.textContent.trim() : !cell || cell.dataset.value === "" ? -1 : Number(cell.dataset.value);
  };
  const filter = () => {
    const words = search.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const hit = row.dataset.words.includes(words) && (!flagged.checked || row.dataset.flag === "1");
      row.hidden = !hit;
      shown += hit;
    }
    count.textContent = `${shown} of ${rows.length} students`;
  };
  table.tHead.querySelectorAll("button").forEach((button, column) => button.addEventListener("click", () => {
    const header = button.parentElement, down = header.getAttribute("aria-sort") !== "descending" && column > 0 || header.getAttribute("aria-sort") === "ascending";
    table.tHead.querySelectorAll("th").forEach(th => th.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    rows.sort((a, b) => { const x = value(a, column), y = value(b, column); return sign * (x < y ? -1 : x > y ? 1 : 0); });
    body.append(...rows);
  }));
  search.addEventListener("input", filter);
  flagged.addEventListener("change", filter);
  filter();
}
