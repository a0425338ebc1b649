"""Shows a verdict to a student: as a card in a notebook, as plain text elsewhere."""

import re
import textwrap
from html import escape
from itertools import zip_longest

from course_utils.judging.exercise import SHARES
from course_utils.judging.judge import CaseResult, Verdict, blame

LOOKS = {
    "passed": ("✓", "#1a7f37", "right"),
    "failed": ("✗", "#b35900", "not right yet"),
    "not started": ("○", "#57606a", "not started"),
    "not allowed": ("✗", "#b35900", "not allowed here"),
}
GROUPS = {"basic": "basic cases", "edge": "edge cases", "property": "properties"}


def points_text(verdict: Verdict) -> str:
    return f"{verdict.points:g} of {verdict.max_points:g} points"


def grouped(verdict: Verdict) -> list[tuple[str, list[CaseResult]]]:
    """Visible results by group; of the secret ones only whether they all passed."""
    visible = [r for r in verdict.cases if r.visible]
    return [
        (name, [r for r in visible if r.group == group])
        for group, name in GROUPS.items()
        if any(r.group == group for r in visible)
    ]


def failures(results: list[CaseResult]) -> list[tuple[str, str]]:
    """(labels, message): cases that fail in the same way stand on one line."""
    by_message: dict[str, list[str]] = {}
    for result in results:
        if not result.passed:
            by_message.setdefault(result.message, []).append(result.label)
    return [("; ".join(labels), message) for message, labels in by_message.items()]


def hidden_summary(verdict: Verdict) -> str:
    secret = [r for r in verdict.cases if not r.visible]
    return (
        f"{sum(r.passed for r in secret)} of {len(secret)} further checks with other numbers pass"
        if secret
        else ""
    )


def how_points(verdict: Verdict) -> str:
    """How the points came about, in one sentence; empty where there is nothing to explain."""
    if verdict.kind == "choice":
        return "A choice gives all points or none."
    if verdict.status in ("not started", "not allowed") or not verdict.cases:
        return ""
    groups = [group for group in GROUPS if any(r.group == group for r in verdict.cases)]
    bad = [g for g in groups if any(r.group == g and not r.passed for r in verdict.cases)]
    if not bad:
        return "Full points: everything that was checked passes."
    names = " and ".join(GROUPS[group] for group in bad)
    if "basic" in bad:
        return (
            "No points yet: a basic case fails, and edge cases and properties count only on top "
            "of a right basis."
        )
    total = sum(SHARES[group] for group in groups)
    lost = sum(SHARES[group] for group in bad)
    return (
        f"{points_text(verdict)}: each group of cases counts as a whole, and {names} "
        f"({lost} of {total} parts) did not all pass."
    )


def headline(verdict: Verdict) -> str:
    """What the student's own code raised in the case that is shown, or nothing."""
    failure = verdict.failure
    if failure is None or failure.kind != "raised" or verdict.status != "failed":
        return ""
    where = f" in your line {failure.line}: `{failure.code}`" if failure.line else ""
    return f"It raised {failure.type}{where}. Python says: {failure.message.rstrip('.')}."


def title_of(verdict: Verdict) -> str:
    """The title; of a choice, what was chosen."""
    if verdict.kind == "choice" and verdict.cases:
        return f"You chose {verdict.cases[0].label.removeprefix('option ')}: {verdict.title}"
    return verdict.title


def as_text(verdict: Verdict) -> str:
    """The card as plain text."""
    mark, _, word = LOOKS[verdict.status]
    lines = [f"{mark} {verdict.exercise}: {word}, {points_text(verdict)}"]
    for name, results in grouped(verdict) if verdict.kind != "choice" else ():
        lines.append(f"  {name}: {sum(r.passed for r in results)} of {len(results)} pass")
        lines += [f"    ✗ {labels}: {message}" for labels, message in failures(results)]
    if summary := hidden_summary(verdict):
        lines.append(f"  {summary}")
    for text in _said(verdict):
        lines += textwrap.wrap(_plain(text), 96, initial_indent="  ", subsequent_indent="  ")
    for what, value in verdict.counterexample:
        between = "\n" if "\n" in value else " "
        lines.append(textwrap.indent(f"{what}:{between}{value}", "    "))
    for part, expected, yours in verdict.beside:
        lines.append(textwrap.indent(_columns(part, expected, yours), "    "))
    if verdict.status not in ("passed", "not started"):
        lines.append(f"  Read again in the lecture: {verdict.section}")
    return "\n".join(lines)


def _said(verdict: Verdict) -> list[str]:
    """What the card says in sentences, the most important first."""
    wrong = verdict.status != "passed"
    named = wrong and verdict.title and verdict.status == "failed"
    told = headline(verdict)
    about = verdict.message if wrong or verdict.kind == "choice" else ""
    about = "" if told and not verdict.title else about  # it would say the same
    said = (told, title_of(verdict) if named else "", about, blame(verdict), how_points(verdict))
    return [text for text in said if text]


def _columns(part: str, expected: str, yours: str) -> str:
    """Two texts side by side, or one above the other where there is no room."""
    left = [f"expected {part}".rstrip(), *expected.splitlines()]
    right = [f"yours {part}".rstrip(), *yours.splitlines()]
    width = max(map(len, left))
    if width + max(map(len, right)) > 90:
        return "\n".join(left + right)
    pairs = zip_longest(left, right, fillvalue="")
    return "\n".join(f"{a:<{width}}   {b}".rstrip() for a, b in pairs)


def as_html(verdict: Verdict) -> str:
    """The card for a notebook; everything that comes from the student's code is escaped."""
    mark, colour, word = LOOKS[verdict.status]
    share = 100 * verdict.points / verdict.max_points if verdict.max_points else 0
    parts = [
        f"<div style='border:1px solid {colour};border-left:6px solid {colour};"
        "border-radius:6px;padding:8px 14px;margin:4px 0;max-width:60em;line-height:1.45'>",
        f"<div><strong style='color:{colour};font-size:1.1em'>{mark} "
        f"{escape(verdict.exercise)}</strong> — {word}, {points_text(verdict)}"
        "<span style='display:inline-block;vertical-align:middle;margin-left:1em;width:8em;"
        "height:.5em;background:rgba(127,127,127,.25);border-radius:4px'>"
        f"<span style='display:block;width:{share:.0f}%;height:100%;background:{colour};"
        "border-radius:4px'></span></span></div>",
        *_sentences(verdict),
    ]
    if verdict.picture:
        parts.append(f"<div style='margin-top:.6em'>{verdict.picture}</div>")
    if verdict.counterexample:
        parts.append(_smallest(verdict))
    if verdict.kind != "choice" and verdict.cases:
        parts.append(_results(verdict))
    if points := how_points(verdict):
        parts.append(f"<div style='margin-top:.4em'>{escape(points)}</div>")
    if verdict.status not in ("passed", "not started"):
        parts.append(
            "<div style='margin-top:.4em'>Read again in the lecture: <em>"
            f"{escape(verdict.section)}</em></div>"
        )
    return "".join(parts) + "</div>"


def _sentences(verdict: Verdict) -> list[str]:
    """Headline, title and explanation."""
    wrong, parts = verdict.status != "passed", []
    if told := headline(verdict):
        parts.append(f"<div style='margin-top:.5em'><strong>{_inline(told)}</strong></div>")
    if verdict.title and wrong:
        title = _inline(title_of(verdict).rstrip("."))
        shown = f"{title}." if verdict.kind == "choice" else f"<strong>{title}.</strong>"
        parts.append(f"<div style='margin-top:.5em'>{shown}</div>")
    said = bool(told) and not verdict.title  # the message would say the same
    if verdict.message and not said and (wrong or verdict.kind == "choice"):
        parts.append(f"<div style='margin-top:.2em'>{_inline(verdict.message)}</div>")
    if note := blame(verdict):
        parts.append(f"<div style='margin-top:.2em'>{_inline(note)}</div>")
    return parts


MONOSPACE = "white-space:pre-wrap;font-family:monospace;text-align:left;vertical-align:top"


def _smallest(verdict: Verdict) -> str:
    """The smallest case that fails: what went in, then expected and yours side by side."""
    rows = "".join(
        "<tr><th scope='row' style='text-align:left;vertical-align:top;padding-right:1em'>"
        f"{escape(what)}</th><td style='{MONOSPACE}'>{escape(value)}</td></tr>"
        for what, value in verdict.counterexample
    )
    beside = "".join(
        "<tr><th scope='row' style='text-align:left;vertical-align:top;padding-right:1em'>"
        f"{escape(part or 'the result')}</th>"
        f"<td style='{MONOSPACE};padding-right:2em'>{escape(expected)}</td>"
        f"<td style='{MONOSPACE}'>{_marked(yours)}</td></tr>"
        for part, expected, yours in verdict.beside
    )
    head = "".join(
        f"<th scope='col' style='text-align:left'>{name}</th>" for name in ("", "expected", "yours")
    ).replace("<th scope='col' style='text-align:left'></th>", "<td></td>")
    if beside:
        beside = f"<table><thead><tr>{head}</tr></thead><tbody>{beside}</tbody></table>"
    return (
        "<details open style='margin-top:.5em'><summary>The smallest case that fails</summary>"
        f"<table>{rows}</table>{beside}</details>"
    )


def _marked(text: str) -> str:
    """Escaped text in which entries between « and » are marked; the colour is not all that says
    so."""
    style = "background:rgba(213,94,0,.25);color:inherit;font-weight:bold"
    # a space for each mark: the columns stay aligned
    return escape(text).replace("«", f"<mark style='{style}'> ").replace("»", " </mark>")


def _results(verdict: Verdict) -> str:
    lines = []
    for name, results in grouped(verdict):
        passed = sum(r.passed for r in results)
        bad = "".join(
            f"<li>✗ {escape(labels)}: {_inline(message)}</li>"
            for labels, message in failures(results)
        )
        good = "".join(f"<li>✓ {escape(r.label)}</li>" for r in results if r.passed)
        lines.append(
            f"<li>{'✓' if passed == len(results) else '✗'} {name}: {passed} of "
            f"{len(results)}<ul style='list-style:none'>{bad}{good}</ul></li>"
        )
    if summary := hidden_summary(verdict):
        lines.append(f"<li>{escape(summary)}</li>")
    return (
        "<details style='margin-top:.4em'><summary>What was checked</summary><ul "
        f"style='list-style:none;padding-left:1em'>{''.join(lines)}</ul></details>"
    )


EMPHASIS = re.compile(r"(?<![\w*])\*{1,2}([^\s*](?:[^*]*[^\s*])?)\*{1,2}(?![\w*])")


def _inline(text: str) -> str:
    """Escaped text in which `code` is set as code and *words* are set off."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(
        f"<code>{part}</code>" if i % 2 else EMPHASIS.sub(r"<em>\1</em>", part)
        for i, part in enumerate(parts)
    )


def _plain(text: str) -> str:
    """Text without the stars of *emphasis*, for where it cannot be shown."""
    parts = text.split("`")
    return "`".join(part if i % 2 else EMPHASIS.sub(r"\1", part) for i, part in enumerate(parts))
