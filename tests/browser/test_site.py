"""The website in a real browser: every page at a desk in daylight and on a phone at night, and
everything on it that can be used.

The site is built once, into a folder of its own; COURSE_SITE=build/site looks at one that is built
already.
"""

import functools
import html.parser
import http.server
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from autograder.course import SOURCE_TREE
from tests.browser.axe import CONTRAST, violations
from tests.conftest import need

LECTURES = sorted(path.stem for path in (SOURCE_TREE / "lectures").glob("*.ipynb"))
ASSIGNMENTS = sorted(path.stem for path in (SOURCE_TREE / "assignments").glob("*/*.ipynb"))
READ = (Path(__file__).parent / "read_page.js").read_text(encoding="utf-8")
SETTLED = """async () => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const ends = (one) => one.effect.getComputedTiming().endTime < Infinity;
  for (let quiet = 0; quiet < 3; quiet += 1) {
    await frame();
    const moving = document.getAnimations().filter(ends).filter((one) => one.pending
      || one.playState === "running");
    if (moving.length) quiet = -1;
    await Promise.allSettled(moving.map((one) => one.finished));
  }
}"""
LOOKS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light"},
    "phone": {
        "viewport": {"width": 375, "height": 740},
        "color_scheme": "dark",
        "is_mobile": True,
        "has_touch": True,
    },
}


@dataclass(frozen=True)
class Site:
    folder: Path
    url: str

    @property
    def pages(self) -> list[str]:
        """Every page, as a path below the site's address."""
        found = (
            path.relative_to(self.folder).as_posix() for path in sorted(self.folder.rglob("*.html"))
        )
        return [name for name in found if not name.startswith("_static/")]  # pieces of the theme


@dataclass
class Visit:
    """What a browser saw of one page."""

    facts: dict[str, Any]
    problems: list[str] = field(
        default_factory=list
    )  # errors in the console, requests that failed or went elsewhere


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None: ...


def build(folder: Path) -> None:
    command = [sys.executable, "docs/site/build.py", str(folder)]
    done = subprocess.run(command, cwd=SOURCE_TREE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def site(shared: Callable[..., Path]) -> Iterator[Site]:
    folder = Path(os.environ.get("COURSE_SITE", "")).resolve()
    if "COURSE_SITE" not in os.environ:
        need(
            importlib.util.find_spec("pydata_sphinx_theme"),
            "Sphinx with its theme (the extra `site`)",
        )
        folder = shared("site", build)
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(folder, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


def watched(context: Any, site: Site) -> tuple[Any, list[str]]:
    """A page of the browser, and a list into which everything goes that is wrong with what it
    loads.
    """
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: (
            problems.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on(
        "requestfailed",
        lambda r: (
            None if r.failure == "net::ERR_ABORTED" else problems.append(f"{r.failure}: {r.url}")
        ),
    )  # the next page came first
    page.on(
        "response",
        lambda response: (
            problems.append(f"{response.status}: {response.url}")
            if response.status >= 400
            else None
        ),
    )
    page.on(
        "request",
        lambda r: (
            None
            if r.url.startswith((site.url, "data:", "blob:"))
            else problems.append(f"elsewhere: {r.url}")
        ),
    )
    return page, problems


@pytest.fixture(scope="session", params=LOOKS)
def visits(request: pytest.FixtureRequest, site: Site, browser: Any) -> dict[str, Visit]:
    """Every page, loaded once in each look."""
    context = browser.new_context(**LOOKS[request.param])
    page, problems = watched(context, site)
    found = {}
    for name in site.pages:
        page.goto(site.url + name, wait_until="load")
        found[name] = Visit(page.evaluate(READ), list(problems))
        problems.clear()
    context.close()
    return found


@pytest.fixture
def desk(site: Site, browser: Any) -> Iterator[Any]:
    context = browser.new_context(**LOOKS["desk"])
    page, problems = watched(context, site)
    yield page
    assert problems == []
    context.close()


def wrong(visits: dict[str, Visit], fact: str) -> dict[str, Any]:
    """Pages on which something was found that should not be there."""
    return {name: visit.facts[fact] for name, visit in visits.items() if visit.facts[fact]}


# Every page ---------------------------------------------------------------------------------------


def test_nothing_is_missing_or_fetched_from_elsewhere(visits: dict[str, Visit]) -> None:
    assert len(visits) > 40
    assert {name: visit.problems for name, visit in visits.items() if visit.problems} == {}


def test_formulas_are_rendered(visits: dict[str, Visit]) -> None:
    assert wrong(visits, "rawFormulas") == {}
    for name in LECTURES:
        assert visits[f"lectures/{name}.html"].facts["formulas"] > 3, name


def test_pictures_load_and_have_a_text(visits: dict[str, Visit]) -> None:
    assert wrong(visits, "brokenPictures") == {}
    assert wrong(visits, "wordlessPictures") == {}
    for name in LECTURES:
        assert visits[f"lectures/{name}.html"].facts["pictures"] > 3, name


def test_headings_are_in_order(visits: dict[str, Visit]) -> None:
    for name, visit in visits.items():
        levels = visit.facts["headings"]
        assert levels.count(1) == 1, f"{name}: {levels.count(1)} main headings"
        assert levels[0] == 1, f"{name} does not begin with its main heading"
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels)), (
            f"{name} skips a level: {levels}"
        )


def test_the_language_and_title_are_told(visits: dict[str, Visit]) -> None:
    assert {
        name: visit.facts["language"]
        for name, visit in visits.items()
        if visit.facts["language"] != "en"
    } == {}
    titles = [visit.facts["title"] for visit in visits.values()]
    assert all(titles)


def test_what_can_be_used_has_a_name(visits: dict[str, Visit]) -> None:
    assert wrong(visits, "nameless") == {}


def test_nothing_is_wider_than_the_window(visits: dict[str, Visit]) -> None:
    assert wrong(visits, "tooWide") == {}


def test_text_stands_out_from_its_background(visits: dict[str, Visit]) -> None:
    assert wrong(visits, "pale") == {}


def test_the_night_is_dark(visits: dict[str, Visit], request: pytest.FixtureRequest) -> None:
    """Or the contrast at night would be that of the day."""
    look = request.node.callspec.params["visits"]
    for name, visit in visits.items():
        assert visit.facts["dark"] == (look == "phone"), name


# Links --------------------------------------------------------------------------------------------


class Reader(html.parser.HTMLParser):
    """The places of a page to which a link may lead, and where its own links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: list[str] = []
        self.links: list[str] = []
        self.feed(
            re.sub(r"""(["'])data:.*?\1""", '""', text, flags=re.DOTALL)
        )  # pictures in the page itself

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.places += [place] if (place := found.get("id")) else []
        self.links += [
            target
            for target in (found.get("href"), found.get("src"))
            if target and not urlsplit(target).scheme
        ]


@pytest.fixture(scope="session")
def read(site: Site) -> dict[str, Reader]:
    return {name: Reader((site.folder / name).read_text(encoding="utf-8")) for name in site.pages}


def test_every_link_leads_somewhere(site: Site, read: dict[str, Reader]) -> None:
    broken = []
    for name, page in read.items():
        for link in page.links:
            target, place = urldefrag(urljoin(f"http://site/{name}", link))
            path = unquote(urlsplit(target).path)[1:]
            path += "index.html" if not path or path.endswith("/") else ""
            if not (site.folder / path).is_file():
                broken.append(f"{name}: {link}")
            elif place and path in read and unquote(place) not in read[path].places:
                broken.append(f"{name}: {link} (no such place on that page)")
    assert sum(len(page.links) for page in read.values()) > 1000
    assert broken == []


def test_places_are_unique(read: dict[str, Reader]) -> None:
    twice = {
        name: [place for place, count in Counter(page.places).items() if count > 1]
        for name, page in read.items()
    }
    assert {name: places for name, places in twice.items() if places} == {}


# What a visitor does ------------------------------------------------------------------------------


def test_the_front_page_shows_every_unit_with_a_picture(site: Site, desk: Any) -> None:
    desk.goto(site.url)
    assert desk.locator("main h1").inner_text().strip()
    for name in LECTURES:
        link = desk.locator(f'main a[href$="lectures/{name}.html"]:has(img)').first
        assert link.locator("img").first.evaluate("picture => picture.naturalWidth > 0"), name
        assert link.inner_text().strip(), name
    start = desk.locator(f'main a[href$="lectures/{LECTURES[0]}.html"]').first
    assert start.bounding_box()["y"] < 900, "how to start is on the first screen"


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_can_be_opened_downloaded_played_with_and_unfolded(
    name: str, site: Site, desk: Any
) -> None:
    desk.goto(f"{site.url}lectures/{name}.html")
    can_be_taken_home(f"lectures/{name}.ipynb", site, desk)
    assert desk.locator(f'main a[href$="assignments/{name}/{name}.html"]').count() >= 1

    sliders = desk.locator("main .course-slider")
    assert sliders.count() >= 1
    for slider in sliders.all():
        play(slider)

    answers = desk.locator("main details:not([open])")
    assert answers.count() >= 3
    folded = answers.last.element_handle()
    assert not desk.evaluate(
        "box => box.lastElementChild.checkVisibility({ contentVisibilityAuto: true })", folded
    )
    folded.query_selector("summary").click()
    assert desk.evaluate(
        "box => box.open && box.lastElementChild.checkVisibility({ contentVisibilityAuto: true })",
        folded,
    )


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_can_be_opened_and_downloaded(name: str, site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}assignments/{name}/{name}.html")
    can_be_taken_home(f"assignments/{name}/{name}.ipynb", site, desk)
    if name in LECTURES:
        assert desk.locator(f'main a[href$="lectures/{name}.html"]').count() >= 1


def can_be_taken_home(notebook: str, site: Site, desk: Any) -> None:
    """The page's notebook opens in Colab, and what is offered to download is the committed file."""
    colab = desk.get_by_role("link", name="Colab").first.get_attribute("href")
    assert colab.startswith("https://colab.research.google.com/github/")
    assert colab.endswith(f"/{notebook}")
    offered = (
        site.folder
        / Path(notebook).parent
        / desk.locator("main a[download]").first.get_attribute("href")
    )
    assert offered.read_bytes() == (SOURCE_TREE / notebook).read_bytes()


# What is live ----------------------------------------------------------------------------------


def alive(page: Any, name: str) -> Any:
    """A live part, once its model is loaded."""
    part = page.locator(f'[data-live="{name}"]').first
    part.scroll_into_view_if_needed()
    page.locator(f'[data-live="{name}"][data-state="alive"]').first.wait_for()
    return part


def settled(page: Any) -> None:
    """Wait until what unfolds has faded in."""
    page.evaluate(SETTLED)


ADDRESSES = {
    "served": lambda site: site.url,
    "on disk": lambda site: f"{site.folder.as_uri()}/index.html",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_front_page_translates(address: str, site: Site, browser: Any) -> None:
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(ADDRESSES[address](site))
    part = alive(page, "translator")
    answer = part.locator(".live-answer")
    assert "carta" in answer.inner_text()
    part.get_by_label("ending").select_option("of the alphabet")
    assert "letra" in answer.inner_text()
    field = part.get_by_label("English sentence")
    assert field.input_value().endswith("of the alphabet")
    field.fill("We are reading the OLD letter from the bank!")
    assert answer.inner_text().strip() == "nosotros estamos leyendo la carta vieja del banco"
    word = part.get_by_role("button", name="vieja")
    word.press("Enter")
    assert word.get_attribute("aria-pressed") == "true"
    assert problems == []
    page.close()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Type a sentence"),
        ("  ?! 🙂", "Type a sentence"),
        ("qwertz asdfgh", "none of these"),
        ("she is writing a long leter to my freind", "“leter” may be “letter”"),
        ("letter " * 200, "I read the first 20 words"),
        ("<img src=x onerror=alert(1)>", "none of these"),
    ],
    ids=["empty", "signs", "nonsense", "misspelt", "endless", "markup"],
)
def test_whatever_is_typed_gets_a_friendly_answer(
    typed: str, told: str, site: Site, desk: Any
) -> None:
    desk.goto(site.url)
    part = alive(desk, "translator")
    part.get_by_label("English sentence").fill(typed)
    assert told in " ".join(part.locator(".live-note").all_inner_texts())
    part.get_by_label("English sentence").fill("I am writing a letter to her")
    assert "carta" in part.locator(".live-answer").inner_text()


def test_heads_masks_searches_and_the_cache_can_be_tried(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}lectures/08_transformer_decoder.html")
    part = alive(desk, "translator")
    for section in part.locator("details.live-section > summary").all():
        section.click()
    heads = part.locator(".live-heads button:not(.all)")
    assert heads.count() == 24
    before = part.locator(".live-lines").inner_html()
    heads.nth(3).click()
    assert part.locator(".live-lines").inner_html() != before
    part.get_by_role("button", name="decoder 2, looks at the source, mean of the heads").click()
    part.get_by_label("these four heads are on").uncheck()
    assert part.locator(".live-heads .off").count() == 4
    assert "With everything switched on: ella está" in part.inner_text()
    part.get_by_role("button", name="all heads on again").click()
    assert part.locator(".live-heads .off").count() == 0

    part.get_by_label("padding mask").uncheck()
    assert part.locator(".live-lines .keys").inner_text().count("<pad>") == 3
    part.get_by_label("padding mask").check()
    assert "are saved" in part.inner_text()
    part.get_by_label("causal mask").uncheck()
    assert "nothing can be kept" in part.inner_text()
    part.get_by_label("causal mask").check()

    narrow = part.locator(".live-tree g").count()
    part.get_by_role("radio", name="beam search", exact=True).check()
    part.get_by_label("beams").fill("4")
    assert part.locator(".live-tree g").count() > narrow
    part.get_by_role("radio", name="draw", exact=True).check()
    part.get_by_label("temperature").fill("4")
    said = set()
    for _ in range(6):
        part.get_by_role("button", name="draw again").click()
        said.add(part.locator(".live-answer").inner_text())
    assert len(said) > 1
    part.get_by_label("top-k").fill("1")
    assert "una carta larga para mi amigo" in part.locator(".live-answer").inner_text()


def test_the_microscope_shows_numbers_mistakes_and_cards(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}microscope.html")
    part = alive(desk, "microscope")
    weights = part.locator('table:has(caption:text("weights"))')
    cell = weights.locator('[data-cell="3,1"]')
    cell.click()
    story = part.locator(".live-story")
    assert "letter looks at sends" in story.inner_text()
    assert "0·0 + 1.5·2 + 0·0.5 + 1·0 = 3" in story.inner_text()
    assert "3 ÷ √4 = 1.5" in story.inner_text()
    weights.locator('[data-cell="3,1"]').press("ArrowLeft")
    desk.keyboard.press("Enter")
    assert "letter looks at she" in story.inner_text()

    part.get_by_label("queries of letter, feature 2").fill("-2")
    assert "− 2·0" in story.inner_text()
    part.get_by_role("radio", name="causal", exact=True).check()
    part.get_by_role("group", name="Heads").get_by_role("radio", name="2").check()
    titles = {
        "the scores are not divided": "scale",
        "softmax over the queries": "Softmax over the queries",
        "forbidden scores become 0": "score",
        "heads split by view alone": "The shape is right, the contents are not",
    }
    for mistake, title in titles.items():
        part.get_by_label(mistake).check()
        assert title in part.locator(".live-card").inner_text(), mistake
        assert "not right yet" in part.locator(".live-card").inner_text()
        assert "off by" in part.inner_text() or "NaN" in part.inner_text()
        assert part.locator(".live-matrix u").count() > 0, mistake
        part.get_by_label(mistake).uncheck()
        assert part.locator(".live-matrix u").count() == 0


def test_points_can_be_dragged_and_the_bandwidth_changed(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}lectures/01_nadaraya_watson.html")
    part = alive(desk, "bandwidth")

    def curve() -> str:
        return part.locator(".curve").get_attribute("points")

    seen = [curve()]
    part.get_by_label("bandwidth").press("ArrowRight")
    seen.append(curve())
    point = part.locator(".dot").nth(4)
    point.press("ArrowUp")
    seen.append(curve())
    box = part.locator(".dot").nth(4).bounding_box()
    desk.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    desk.mouse.down()
    desk.mouse.move(box["x"] + 60, box["y"] - 30)
    desk.mouse.up()
    seen.append(curve())
    assert len(set(seen)) == 4


def test_a_digit_can_be_drawn_with_mouse_and_keyboard(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}lectures/09_vision_transformer.html")
    part = alive(desk, "reader")
    told = part.locator("[aria-live]")
    assert "It says 4" in told.inner_text()
    part.get_by_role("button", name="empty").click()
    assert "Nothing is drawn yet" in told.inner_text()
    canvas = part.locator("canvas")
    box = canvas.bounding_box()
    x = box["x"] + box["width"] / 2
    desk.mouse.move(x, box["y"] + 0.1 * box["height"])
    desk.mouse.down()
    desk.mouse.move(x, box["y"] + 0.9 * box["height"], steps=8)
    desk.mouse.up()
    assert "It says 1" in told.inner_text()
    before = part.locator(".live-bars").inner_text()
    for patch in range(5, 7):
        part.get_by_role("button", name="blank out").nth(patch).click()
    assert part.locator(".patches .blank").count() == 2
    assert part.locator(".live-bars").inner_text() != before
    part.get_by_role("button", name="empty").click()
    canvas.focus()
    for key in ("Space", *["ArrowDown"] * 14, "Space"):
        desk.keyboard.press(key)
    assert "It says 1" in told.inner_text()


def test_a_scene_can_be_composed(site: Site, desk: Any) -> None:
    desk.emulate_media(reduced_motion="reduce")
    desk.goto(f"{site.url}lectures/10_image_captioning.html")
    part = alive(desk, "captioner")
    part.get_by_role("button", name="empty", exact=True).click()
    assert "only ever seen one or two shapes" in part.inner_text()
    part.get_by_role("radio", name="yellow").check()
    part.get_by_role("radio", name="cross").check()
    part.get_by_role("button", name="bottom right: empty").press("Enter")
    said = part.locator(".live-answer")
    assert said.inner_text().split()[:4] == ["yellow", "cross", "bottom", "right"]
    lit = part.locator(".live-scene").inner_html()
    part.get_by_role("button", name="yellow", exact=True).click()
    assert part.locator(".live-scene").inner_html() != lit
    part.get_by_role("button", name="bottom right: yellow cross").click()
    assert part.get_by_role("button", name="bottom right: empty").is_visible()


LIVE = {
    "index.html": "translator",
    "microscope.html": "microscope",
    "lectures/01_nadaraya_watson.html": "bandwidth",
    "lectures/08_transformer_decoder.html": "translator",
    "lectures/09_vision_transformer.html": "reader",
    "lectures/10_image_captioning.html": "captioner",
}


def test_without_javascript_a_still_picture_stands_there(site: Site, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for name, part in LIVE.items():
        page.goto(site.url + name)
        still = page.locator(f'[data-live="{part}"] .live-still svg[role="img"][aria-label]').first
        assert still.bounding_box()["height"] > 50, name
    context.close()


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_live_can_be_read_and_fits(look: str, site: Site, browser: Any) -> None:
    """The checks of every page again, with the live parts awake and unfolded."""
    context = browser.new_context(**LOOKS[look])
    page, problems = watched(context, site)
    for name in LIVE:
        page.goto(site.url + name)
        for part in page.locator("[data-live]").all():
            alive(page, part.get_attribute("data-live"))
        page.evaluate("document.querySelectorAll('.live details').forEach((d) => (d.open = true))")
        settled(page)
        facts = page.evaluate(READ)
        for fact in ("nameless", "tooWide", "pale", "wordlessPictures"):
            assert facts[fact] == [], f"{name}: {fact}"
    assert problems == []
    context.close()


BACKGROUND = "getComputedStyle(document.body).backgroundColor"
HEAVY = [name for name in LIVE if name.startswith("lectures/")]  # each takes half a minute
CHECKED = [
    *LIVE,
    "lectures.html",
    "lectures/03_masking.html",
    "assignments.html",
    "assignments/03_masking/03_masking.html",
    "guides.html",
    "docs/student.html",
    "results.html",
    "api/index.html",
    "search.html?q=mask",
]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long) if name in HEAVY else name for name in CHECKED],
)
def test_axe_finds_nothing(name: str, site: Site, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.goto(site.url + name)
    if name in LIVE:
        alive(page, LIVE[name])
    page.evaluate("document.querySelectorAll('.live details').forEach((d) => (d.open = true))")
    settled(page)
    by_day = page.evaluate(BACKGROUND)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    settled(page)
    assert page.evaluate(BACKGROUND) != by_day
    assert violations(page, CONTRAST) == []
    context.close()


def play(slider: Any) -> None:
    """A slider moves the picture with the mouse and with the keyboard, and says where it stands."""
    handle = slider.locator("input[type=range]").first
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    handle.click(position={"x": 2, "y": box["height"] / 2})
    shown = [seen(slider)]
    handle.press("ArrowRight")
    shown.append(seen(slider))
    handle.press("End")
    shown.append(seen(slider))
    assert len({picture for picture, _, _ in shown}) >= 2, "another value is another picture"
    assert len({said for _, said, _ in shown}) >= 2
    assert len({heard for _, _, heard in shown}) >= 2


def seen(slider: Any) -> tuple[str, str, str]:
    pictures = [picture for picture in slider.locator("img, svg").all() if picture.is_visible()]
    assert len(pictures) == 1
    picture = pictures[0].evaluate("picture => picture.src || picture.outerHTML")
    heard = slider.locator("input[type=range]").first.evaluate(
        "handle => handle.ariaValueText || handle.getAttribute('aria-valuetext') || ''"
    )
    return picture, slider.locator("output").first.inner_text(), heard


def test_one_can_read_through_all_units(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}lectures/{LECTURES[0]}.html")
    path = [LECTURES[0]]
    while len(path) < len(LECTURES):
        with desk.expect_navigation():
            desk.locator("a.right-next").first.click()
        path.append(Path(urlsplit(desk.url).path).stem)
    assert path == LECTURES
    with desk.expect_navigation():
        desk.locator("a.left-prev").first.click()
    assert Path(urlsplit(desk.url).path).stem == LECTURES[-2]


@pytest.mark.parametrize(
    ("word", "page"),
    [("bandwidth", "lectures/01_nadaraya_watson.html"), ("seccomp", "docs/grading.html")],
)
def test_search_finds(word: str, page: str, site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}search.html?q={word}")
    found = desk.locator(f'#search-results a[href*="{page}"]')
    found.first.wait_for()
    assert found.first.is_visible()
    desk.goto(f"{site.url}search.html?q=xylophonist")
    nothing = desk.get_by_text("did not match any documents")
    nothing.wait_for()
    assert nothing.is_visible()


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("mask", "lectures/"),
        ("softmax", "lectures/"),
        ("leakage", "lectures/03_masking"),
        ("look-ahead", "lectures/03_masking"),
        ("padding", "lectures/03_masking"),
        ("bandwidth", "lectures/01_nadaraya_watson"),
    ],
)
def test_search_on_disk_shows_lectures_first_with_snippets(
    word: str, page: str, site: Site, browser: Any
) -> None:
    opened = browser.new_page()
    opened.goto(f"{site.folder.as_uri()}/search.html?q={word}")
    results = opened.locator("#search-results li")
    results.first.wait_for()
    assert page in results.first.locator("a").get_attribute("href")
    kinds = [text.strip() for text in results.locator("span").all_inner_texts()]
    assert "API" not in kinds[:3]
    assert results.first.locator("p mark").count() > 0
    assert results.first.locator("p mark").first.inner_text().strip()
    opened.goto(opened.url.replace(word, "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"))
    assert opened.locator("#search-results img").count() == 0
    opened.close()


# How it reads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_shows_a_picture_first_and_cuts_no_code_off(
    name: str, site: Site, browser: Any
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{site.url}lectures/{name}.html")
    tops = page.evaluate(
        """() => [...document.querySelectorAll("article img, article svg, article canvas")]
            .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height > 60)
            .map((e) => e.getBoundingClientRect().top)"""
    )
    assert tops[0] < 500
    cut = page.evaluate(
        """() => [...document.querySelectorAll("article .cell_input pre")]
            .filter((e) => e.scrollWidth > e.clientWidth + 1).length"""
    )
    assert cut == 0
    folded = page.locator("details.hide.above-input")
    assert folded.count() > 0, "code that only draws is folded"
    assert not folded.first.locator("pre").is_visible()
    folded.first.locator("summary").first.click()
    assert folded.first.locator("pre").is_visible()
    page.close()


MOST = 600_000  # bytes of a page without its figures, with its model
LOADED = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .map((entry) => [entry.name, entry.decodedBodySize])"""
WEIGHED = ["index.html", "microscope.html", "lectures.html", "assignments.html"]


@pytest.mark.parametrize("name", [*WEIGHED, *(f"lectures/{name}.html" for name in LECTURES)])
def test_how_heavy_a_page_is(name: str, site: Site, browser: Any) -> None:
    """How soon it shows is measured by `python -m tools.bench.paint`."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(site.url + name)
    if name in LIVE:
        alive(page, LIVE[name])
    first = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    page.wait_for_function(first)
    sizes = dict(page.evaluate(LOADED))
    figures = sum(size for url, size in sizes.items() if "/_images/" in url)
    total = sum(sizes.values()) - figures
    assert len(sizes) > 3
    assert all(sizes.values()), "every size is known"
    assert total < MOST, sorted(((size, url) for url, size in sizes.items()), reverse=True)[:5]
    context.close()


def test_day_and_night_can_be_switched(site: Site, desk: Any) -> None:
    desk.goto(site.url)
    look = "getComputedStyle(document.body).backgroundColor"
    day = desk.evaluate(look)
    desk.locator("button.theme-switch-button:visible").first.click()
    desk.get_by_role("button", name="Dark").click()
    desk.wait_for_function(f"{look} !== '{day}'")
    desk.goto(f"{site.url}lectures/{LECTURES[0]}.html")
    assert desk.evaluate(look) != day, "the next page remembers"


def test_the_menu_opens_on_a_phone(site: Site, browser: Any) -> None:
    context = browser.new_context(**LOOKS["phone"])
    page, problems = watched(context, site)
    page.goto(f"{site.url}lectures/{LECTURES[2]}.html")
    link = page.locator(
        f'.sidebar-primary-item a[href$="{LECTURES[3]}.html"], '
        f'.bd-links a[href$="{LECTURES[3]}.html"]'
    ).first
    assert not link.is_visible()
    page.locator(
        "button.primary-toggle:visible, .sidebar-toggle.primary-toggle:visible"
    ).first.click()
    link.wait_for(state="visible")
    assert problems == []
    context.close()


def test_examples_say_that_the_class_is_simulated(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}docs/examples.html")
    assert "simulated" in desk.locator("main").inner_text().lower()
    for link in desk.locator('main a[href^="examples/"]').all():
        assert (site.folder / "docs" / link.get_attribute("href")).is_file()
    frames = desk.locator("main iframe")
    assert frames.count() >= 2
    for frame in frames.all():
        frame.scroll_into_view_if_needed()
        inside = frame.element_handle().content_frame()
        inside.wait_for_load_state()
        assert "simulated" in inside.locator("body").inner_text().lower()
