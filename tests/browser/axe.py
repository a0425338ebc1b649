"""The rules of axe-core for people who see, hear or move otherwise."""

from typing import Any

CONTRAST = "color-contrast"  # the only rule for which it matters whether it is day or night


def violations(page: Any, only: str | None = None) -> list[tuple[str, list[tuple[str, str]]]]:
    """Which rules the page breaks, and the first places where; `only` one rule, or all."""
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only is not None:
        options["runOnly"] = [only]
    result = Axe().run(page, options=options).response
    assert len(result["passes"]) > (0 if only else 15), "the rules were looked at"
    return [
        (
            broken["id"],
            [(node["html"][:200], node["failureSummary"][:300]) for node in broken["nodes"]][:3],
        )
        for broken in result["violations"]
    ]
