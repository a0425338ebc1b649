// What a test wants to know of a page, in one go: see test_site.py.
async () => {
  const root = document.documentElement;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const short = (element) => `<${element.tagName.toLowerCase()} class="${element.className?.baseVal ?? element.className}"> ${(element.textContent || "").trim().slice(0, 40)}`;

  // Pictures: loaded even if lazy, hidden frames of sliders too.
  const pictures = all("img");
  for (const picture of pictures) picture.loading = "eager";
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => {})));
  const decorative = (picture) => picture.alt === "" && picture.hasAttribute("alt") && picture.closest("a, button")?.textContent.trim();

  // Formulas: rendered without an error, and no TeX left in the text.
  const places = all(".formula, .math");
  const raw = places.filter((place) => !place.querySelector(".katex, mjx-container")).map(short);
  raw.push(...all(".katex-error, merror, mjx-merror").map(short));
  const walker = document.createTreeWalker(document.querySelector("main, article") ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (/\$\$|\\\(|\\\[|\\frac|\\sum/.test(node.data) && !node.parentElement.closest("pre, code, script, style, .katex")) raw.push(node.data.trim().slice(0, 80));
  }

  // Contrast: text against the nearest background below it, both flattened.
  const channels = (color) => {
    const numbers = color.match(/[\d.]+/g).map(Number);
    const scale = color.startsWith("color(") ? 255 : 1;
    return { rgb: numbers.slice(0, 3).map((v) => v * scale), alpha: numbers[3] ?? 1 };
  };
  const over = (top, bottom) => top.rgb.map((v, i) => v * top.alpha + bottom[i] * (1 - top.alpha));
  const behind = (element) => {
    const layers = [];
    const box = element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const around = at.getBoundingClientRect();
      if (at !== document.body && at !== root && (x < around.left || x > around.right || y < around.top || y > around.bottom)) continue; // it stands outside
      if (style.backgroundImage !== "none" || style.filter !== "none") return null; // a gradient, a picture, inverted: not decided here
      layers.push(channels(style.backgroundColor));
      if (layers.at(-1).alpha === 1) break;
    }
    const page = matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark") ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((bottom, layer) => over(layer, bottom), page);
  };
  const light = (rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const texts = all("body *").filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && !e.closest("script, style, svg, .katex-mathml, [aria-hidden=true], [disabled]") && visible(e));
  const step = Math.max(1, Math.floor(texts.length / 250));
  const pale = new Set();
  for (const element of texts.filter((_, i) => i % step === 0)) {
    const style = getComputedStyle(element);
    const background = behind(element);
    const size = parseFloat(style.fontSize);
    if (!background || size === 0) continue;
    const need = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
    const found = contrast(over(channels(style.color), background), background);
    if (found < need - 0.01) pale.add(`${short(element)}: ${found.toFixed(1)}`);
  }
  const ground = behind(document.querySelector("main p, article p, p") ?? document.body) ?? [255, 255, 255];

  // Width: neither the page nor the article may scroll sideways; a table or a formula may, inside a box of its own. The last letter of
  // a formula in the text may lean over its box by two pixels.
  const wide = all("html, body, main, article, .bd-content, .bd-article-container").filter((box) => box.scrollWidth > box.clientWidth + 2 && box.clientWidth > 0);
  const boxed = (e) => e.parentElement && (e.parentElement.scrollWidth > e.parentElement.clientWidth && getComputedStyle(e.parentElement).overflowX !== "visible" && !wide.includes(e.parentElement) || boxed(e.parentElement));
  const culprits = wide.length ? all("body *:not(svg *)").filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && visible(e) && !boxed(e)) : [];

  const named = (e) => (e.ariaLabel || e.title || e.textContent.trim() || e.labels?.length || e.getAttribute("aria-labelledby") || e.placeholder || e.querySelector?.("img[alt]:not([alt=''])"));
  return {
    title: document.title,
    language: root.lang,
    headings: all("h1, h2, h3, h4, h5, h6").filter(visible).map((heading) => +heading.tagName[1]),
    pictures: pictures.length,
    brokenPictures: pictures.filter((picture) => picture.naturalWidth === 0).map((picture) => picture.src.slice(0, 100)),
    wordlessPictures: [
      ...pictures.filter((picture) => !picture.alt && !decorative(picture)).map((picture) => picture.src.slice(0, 100)),
      ...all("[role=img]:not([aria-hidden=true])").filter((drawing) => !drawing.closest("a, button") && !drawing.ariaLabel && !drawing.querySelector(":scope > title") && !drawing.getAttribute("aria-labelledby")).map(short),
    ],
    formulas: all(".katex, mjx-container").length,
    rawFormulas: raw,
    nameless: all("a[href], button, input:not([type=hidden]), select, iframe").filter((e) => visible(e) && !named(e)).map((e) => e.outerHTML.slice(0, 120)),
    tooWide: [...wide.map((box) => `${box.tagName}: ${box.scrollWidth} > ${box.clientWidth}`), ...culprits.slice(0, 3).map(short)],
    pale: [...pale].slice(0, 8),
    dark: light(ground) < 0.2,
  };
}
