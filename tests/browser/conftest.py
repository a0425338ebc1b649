"""Pages in a real browser: Debian's chromium, driven by playwright."""

from collections.abc import Iterator
from typing import Any

import pytest

PATIENCE = 180_000  # milliseconds: a busy machine is no reason to fail


class Patient:
    """A browser whose pages wait as long as a busy machine takes."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def new_context(self, **options: Any) -> Any:
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    def new_page(self, **options: Any) -> Any:
        page = self.browser.new_page(**options)
        page.set_default_timeout(PATIENCE)
        return page


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield Patient(started)
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that remembers what went wrong in it."""
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.problems = []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on(
        "console",
        lambda message: opened.problems.append(message.text) if message.type == "error" else None,
    )
    opened.on(
        "dialog",
        lambda dialog: (opened.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()),
    )
    opened.on(
        "request",
        lambda request: (
            opened.problems.append(request.url)
            if not request.url.startswith(("file:", "data:"))
            else None
        ),
    )
    yield opened
    opened.close()
