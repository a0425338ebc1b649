"""The website in a real browser: every page at a desk in daylight and on a phone at night, and everything on it that can be used.

The site is built once, into a folder of its own; COURSE_SITE=build/site looks at one that is built already.
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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from autograder.course import SOURCE_TREE
from tests.conftest import need

LECTURES = sorted(path.stem for path in (SOURCE_TREE / "lectures").glob("*.ipynb"))
ASSIGNMENTS = sorted(path.stem for path in (SOURCE_TREE / "assignments").glob("*/*.ipynb"))
READ = (Path(__file__).parent / "read_page.js").read_text(encoding="utf-8")
LOOKS = {
    "desk": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 375, "height": 740}, "color_scheme": "dark", "is_mobile": True, "has_touch": True},
}


@dataclass(frozen=True)
class Site:
    folder: Path
    url: str

    @property
    def pages(self) -> list[str]:
        """Every page, as a path below the site's address."""
        found = (path.relative_to(self.folder).as_posix() for path in sorted(self.folder.rglob("*.html")))
        return [name for name in found if not name.startswith("_static/")]  # pieces of the theme


@dataclass
class Visit:
    """What a browser saw of one page."""

    facts: dict[str, Any]
    problems: list[str] = field(default_factory=list)  # errors in the console, requests that failed or went elsewhere


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None: ...


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = Path(os.environ.get("COURSE_SITE", "")).resolve()
    if "COURSE_SITE" not in os.environ:
        need(importlib.util.find_spec("pydata_sphinx_theme"), "Sphinx with its theme (the extra `site`)")
        folder = tmp_path_factory.mktemp("site") / "site"
        command = [sys.executable, "docs/site/build.py", str(folder)]
        done = subprocess.run(command, cwd=SOURCE_TREE, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(folder, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


def watched(context: Any, site: Site) -> tuple[Any, list[str]]:
    """A page of the browser, and a list into which everything goes that is wrong with what it loads."""
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
    page.on(
        "requestfailed", lambda r: None if r.failure == "net::ERR_ABORTED" else problems.append(f"{r.failure}: {r.url}")
    )  # the next page came first
    page.on("response", lambda response: problems.append(f"{response.status}: {response.url}") if response.status >= 400 else None)
    page.on("request", lambda r: None if r.url.startswith((site.url, "data:", "blob:")) else problems.append(f"elsewhere: {r.url}"))
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


# Every page ------------------------------------------------------------------------------------------------------------


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
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels)), f"{name} skips a level: {levels}"


def test_the_language_and_title_are_told(visits: dict[str, Visit]) -> None:
    assert {name: visit.facts["language"] for name, visit in visits.items() if visit.facts["language"] != "en"} == {}
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


# Links -----------------------------------------------------------------------------------------------------------------


class Reader(html.parser.HTMLParser):
    """The places of a page to which a link may lead, and where its own links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: list[str] = []
        self.links: list[str] = []
        self.feed(re.sub(r"""(["'])data:.*?\1""", '""', text, flags=re.DOTALL))  # pictures in the page itself

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.places += [found["id"]] if found.get("id") else []
        self.links += [target for target in (found.get("href"), found.get("src")) if target and not urlsplit(target).scheme]


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
    twice = {name: [place for place, count in Counter(page.places).items() if count > 1] for name, page in read.items()}
    assert {name: places for name, places in twice.items() if places} == {}


# What a visitor does ---------------------------------------------------------------------------------------------------


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
def test_a_lecture_can_be_opened_downloaded_played_with_and_unfolded(name: str, site: Site, desk: Any) -> None:
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
    assert not desk.evaluate("box => box.lastElementChild.checkVisibility({ contentVisibilityAuto: true })", folded)
    folded.query_selector("summary").click()
    assert desk.evaluate("box => box.open && box.lastElementChild.checkVisibility({ contentVisibilityAuto: true })", folded)


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
    offered = site.folder / Path(notebook).parent / desk.locator("main a[download]").first.get_attribute("href")
    assert offered.read_bytes() == (SOURCE_TREE / notebook).read_bytes()


def test_the_playground_has_the_four_knobs(site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}playground.html")
    knobs = {slider.locator("label").first.inner_text().strip().lower(): slider for slider in desk.locator("main .course-slider").all()}
    for word in ("bandwidth", "temperature", "mask", "head"):
        assert any(word in knob for knob in knobs), f"{word} is not among {list(knobs)}"
    for slider in knobs.values():
        play(slider)


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
        desk.locator("a.right-next").first.click()
        path.append(Path(urlsplit(desk.url).path).stem)
    assert path == LECTURES
    desk.locator("a.left-prev").first.click()
    assert Path(urlsplit(desk.url).path).stem == LECTURES[-2]


@pytest.mark.parametrize(("word", "page"), [("bandwidth", "lectures/01_nadaraya_watson.html"), ("seccomp", "docs/grading.html")])
def test_search_finds(word: str, page: str, site: Site, desk: Any) -> None:
    desk.goto(f"{site.url}search.html?q={word}")
    found = desk.locator(f'#search-results a[href*="{page}"]')
    found.first.wait_for(timeout=20_000)
    assert found.first.is_visible()
    desk.goto(f"{site.url}search.html?q=xylophonist")
    nothing = desk.get_by_text("did not match any documents")
    nothing.wait_for(timeout=20_000)
    assert nothing.is_visible()


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
    link = page.locator(f'.sidebar-primary-item a[href$="{LECTURES[3]}.html"], .bd-links a[href$="{LECTURES[3]}.html"]').first
    assert not link.is_visible()
    page.locator("button.primary-toggle:visible, .sidebar-toggle.primary-toggle:visible").first.click()
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
