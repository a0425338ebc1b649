// The microscope in a notebook: one figure, opened by its name.
import { el } from "./draw.js";
import { microscope } from "./microscope_view.js";

export async function open(id) {
  const figure = document.getElementById(id);
  if (!figure || figure.dataset.state) return;
  figure.dataset.state = "waking";
  const place = el("div", { class: "live-place" });
  await microscope(place, figure.dataset, figure);
  figure.querySelector(".live-still")?.remove();
  figure.prepend(place);
  figure.dataset.state = "alive";
}
