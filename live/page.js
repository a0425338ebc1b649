// How a live part gets onto a page: it waits until it is seen, loads its model, and takes the place of a still picture.
import { el } from "./draw.js";
import { load } from "./weights.js";

const HERE = globalThis.document?.currentScript?.src ?? "";
const loading = new Map();

/** The model of that name, loaded once, by a script beside this one: a page on disk may read nothing else. */
export function model(name) {
  if (!loading.has(name)) {
    loading.set(name, new Promise((done, failed) => {
      const ready = () => done(load(globalThis.liveModels[name]));
      if (globalThis.liveModels?.[name]) return ready();
      document.head.append(el("script", { src: new URL(`models/${name}.js`, HERE), onload: ready, onerror: () => failed(new Error(`models/${name}.js could not be loaded`)) }));
    }));
  }
  return loading.get(name);
}

/** Call `act` when the element comes near the window, once. */
function whenSeen(element, act) {
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    act();
  }, { rootMargin: "200px" });
  watcher.observe(element);
}

/** Bring every `<figure data-live="name">` of the page to life for which there is a view: `views[name](place, options, figure)` draws into `place`. */
export function mount(views, root = document) {
  for (const figure of root.querySelectorAll("[data-live]")) {
    if (!(figure.dataset.live in views)) continue;
    const start = async () => {
      const place = el("div", { class: "live-place" });
      try {
        await views[figure.dataset.live](place, figure.dataset, figure);
        figure.querySelector(".live-still")?.remove();
        figure.prepend(place);
        figure.dataset.state = "alive";
      } catch (problem) {
        figure.dataset.state = "still";
        figure.append(el("p", { class: "live-note" }, `This part stays a picture: ${problem.message}.`));
      }
    };
    whenSeen(figure, start);
  }
}
