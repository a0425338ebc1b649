"""How soon a reader sees something: first paint of the website's pages at 1.6 Mbit/s, and when the
report on a class of 500 can be used: `python -m tools.bench.paint [SITE] [--json]`.

SITE is a folder with the built website; without it one is built. Needs chromium and playwright.
"""

import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from autograder.authoring.release import new_course
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from autograder.pages import common, feedback, report

NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 200_000}
NETWORK |= {"uploadThroughput": 90_000}
PAGES = ("index.html", "microscope.html", "lectures.html", "assignments.html")
FIRST = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
UNITS = ("01_nadaraya_watson", "03_masking")
WINDOW = {"width": 1280, "height": 800}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None: ...


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        raise UserError("there is no chromium here")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def paints(started: Any, site: Path) -> dict[str, float]:
    """Page -> seconds until something is painted."""
    lectures = sorted(f"lectures/{path.name}" for path in (site / "lectures").glob("[0-9]*.html"))
    found = {}
    with served(site) as address:
        for name in (*PAGES, *lectures):
            context = started.new_context(viewport=WINDOW)
            page = context.new_page()
            client = context.new_cdp_session(page)
            client.send("Network.enable")
            client.send("Network.emulateNetworkConditions", NETWORK)
            page.goto(address + name, timeout=180_000)
            found[name] = round(page.wait_for_function(FIRST).json_value() / 1000, 2)
            context.close()
    return found


def class_of(started: Any, students: int, folder: Path) -> dict[str, dict[str, float]]:
    """Page about a class -> megabytes, and seconds until it can be used and is loaded."""
    from tests.browser.test_pages import write_class

    course = new_course(folder / "course")
    names = [f"student{n:03d}" for n in range(students)]
    for unit in UNITS:
        write_class(course, names, unit_name=unit)
    feedback.build(course, UNITS[0], names[7])
    found = {}
    for path in (report.build(course), common.course_path(course)):
        page = started.new_page(viewport=WINDOW)
        page.goto(path.as_uri(), wait_until="load")
        entry = page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
        found[path.name] = {
            "megabytes": round(path.stat().st_size / 1e6, 1),
            "interactive": round(entry["domInteractive"] / 1000, 2),
            "loaded": round(entry["loadEventEnd"] / 1000, 2),
        }
        page.close()
    return found


@click.command()
@click.argument("site", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything that was measured.")
def main(site: Path | None, as_json: bool) -> None:
    """Measure first paint of the pages of SITE, and the report on a class of 500."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, browser() as started:
        if site is None:
            site = Path(folder) / "site"
            command = [sys.executable, "docs/site/build.py", str(site)]
            subprocess.run(command, cwd=SOURCE_TREE, check=True, stdout=subprocess.DEVNULL)
        first, whole = paints(started, site), class_of(started, 500, Path(folder))
    if as_json:
        print(json.dumps({"first_paint": first, "class_of_500": whole}))
        return
    for name, seconds in first.items():
        print(f"{name}: first paint after {seconds:.1f} s")
    for name, about in whole.items():
        print(
            f"{name}: 500 students, 2 units, {about['megabytes']:.1f} MB: interactive after "
            f"{about['interactive']:.2f} s, loaded after {about['loaded']:.2f} s"
        )


if __name__ == "__main__":
    main()
