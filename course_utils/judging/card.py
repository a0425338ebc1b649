"""Shows a verdict to a student: as a card in a notebook, as plain text elsewhere."""

import textwrap
from html import escape

from course_utils.judge import CaseResult, Verdict

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
    return [(name, [r for r in visible if r.group == group]) for group, name in GROUPS.items() if any(r.group == group for r in visible)]


def failures(results: list[CaseResult]) -> list[tuple[str, str]]:
    """(labels, message): cases that fail in the same way stand on one line."""
    by_message: dict[str, list[str]] = {}
    for result in results:
        if not result.passed:
            by_message.setdefault(result.message, []).append(result.label)
    return [("; ".join(labels), message) for message, labels in by_message.items()]


def hidden_summary(verdict: Verdict) -> str:
    secret = [r for r in verdict.cases if not r.visible]
    return f"{sum(r.passed for r in secret)} of {len(secret)} further checks with other numbers pass" if secret else ""


def as_text(verdict: Verdict) -> str:
    """The card as plain text."""
    mark, _, word = LOOKS[verdict.status]
    lines = [f"{mark} {verdict.exercise}: {word}, {points_text(verdict)}"]
    for name, results in grouped(verdict) if verdict.kind != "choice" else ():
        lines.append(f"  {name}: {sum(r.passed for r in results)} of {len(results)} pass")
        lines += [f"    ✗ {labels}: {message}" for labels, message in failures(results)]
    if summary := hidden_summary(verdict):
        lines.append(f"  {summary}")
    if verdict.title and verdict.status == "failed":
        lines.append(f"  {verdict.title}")
    if (verdict.message and verdict.status != "passed") or verdict.kind == "choice":
        lines += textwrap.wrap(verdict.message, 96, initial_indent="  ", subsequent_indent="  ")
    for what, value in verdict.counterexample:
        lines.append(textwrap.indent(f"{what}: {value}", "    ").replace("\n", "\n    "))
    if verdict.status not in ("passed", "not started"):
        lines.append(f"  Read again in the lecture: {verdict.section}")
    return "\n".join(lines)


def as_html(verdict: Verdict) -> str:
    """The card for a notebook; everything that comes from the student's code is escaped."""
    mark, colour, word = LOOKS[verdict.status]
    share = 100 * verdict.points / verdict.max_points if verdict.max_points else 0
    parts = [
        f"<div style='border:1px solid {colour};border-left:6px solid {colour};border-radius:6px;padding:8px 14px;margin:4px 0;max-width:60em;line-height:1.45'>",
        f"<div><strong style='color:{colour};font-size:1.1em'>{mark} {escape(verdict.exercise)}</strong> — {word}, {points_text(verdict)}"
        f"<span style='display:inline-block;vertical-align:middle;margin-left:1em;width:8em;height:.5em;background:rgba(127,127,127,.25);border-radius:4px'>"
        f"<span style='display:block;width:{share:.0f}%;height:100%;background:{colour};border-radius:4px'></span></span></div>",
    ]
    if verdict.title and verdict.status != "passed":
        parts.append(f"<div style='margin-top:.5em'><strong>{_inline(verdict.title.rstrip('.'))}.</strong></div>")
    if verdict.message and (verdict.status != "passed" or verdict.kind == "choice"):
        parts.append(f"<div style='margin-top:.2em'>{_inline(verdict.message)}</div>")
    if verdict.picture:
        parts.append(f"<div style='margin-top:.6em'>{verdict.picture}</div>")
    if verdict.counterexample:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding-right:1em'>{escape(what)}</th>"
            f"<td style='text-align:left;white-space:pre-wrap;font-family:monospace'>{escape(value)}</td></tr>"
            for what, value in verdict.counterexample
        )
        parts.append(
            f"<details open style='margin-top:.5em'><summary>The smallest case that fails</summary><table>{rows}</table></details>"
        )
    if verdict.kind != "choice" and verdict.cases:
        parts.append(_results(verdict))
    if verdict.status not in ("passed", "not started"):
        parts.append(f"<div style='margin-top:.4em'>Read again in the lecture: <em>{escape(verdict.section)}</em></div>")
    return "".join(parts) + "</div>"


def _results(verdict: Verdict) -> str:
    lines = []
    for name, results in grouped(verdict):
        passed = sum(r.passed for r in results)
        bad = "".join(f"<li>✗ {escape(labels)}: {escape(message)}</li>" for labels, message in failures(results))
        good = "".join(f"<li>✓ {escape(r.label)}</li>" for r in results if r.passed)
        lines.append(
            f"<li>{'✓' if passed == len(results) else '✗'} {name}: {passed} of {len(results)}<ul style='list-style:none'>{bad}{good}</ul></li>"
        )
    if summary := hidden_summary(verdict):
        lines.append(f"<li>{escape(summary)}</li>")
    return f"<details style='margin-top:.4em'><summary>What was checked</summary><ul style='list-style:none;padding-left:1em'>{''.join(lines)}</ul></details>"


def _inline(text: str) -> str:
    """Escaped text in which `code` is set as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts)) if len(parts) % 2 else escape(text)
