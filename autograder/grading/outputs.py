"""Outputs and texts of students, made fit for a notebook that instructors will open."""

import re
from typing import Any

import nh3

from autograder import outside

IMAGES = ("image/png", "image/jpeg", "image/gif")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
MAX_OUTPUTS, MAX_LINES, MAX_TRACE, MAX_TEXT = 500, 1000, 100, 1 << 20
MAX_HTML, MAX_TAGS = 500_000, 5_000  # characters and tags of one output
FORMATTING = re.compile(  # a parser opens these again in every block until they are closed
    r"<(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*>", re.IGNORECASE
)
ATTRIBUTES = {
    "img": {"src", "alt", "width", "height"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
}
PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*")
TAG = re.compile(r"<(?=[A-Za-z/!?])")
SHOWN = re.compile(r"!\[(?![^\]]*\]\(data:image/(?:png|jpeg|gif);base64,)")


class Outputs:
    """Collects the outputs of one cell; what is malformed is dropped, what is active is cleaned."""

    def __init__(self, displays: dict[str, dict[str, Any]] | None = None) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.displays = displays if displays is not None else {}
        self.clear_next = False

    def add(self, raw: dict[str, Any]) -> None:
        """Take one output as the child sent it."""
        kind = raw.get("output_type")
        if kind == "clear":
            self.clear_next = bool(raw.get("wait"))
            if not self.clear_next:
                self.outputs.clear()
            return
        output = self._clean(kind, raw)
        if output is None:
            return
        if self._updates(raw, output):
            return
        if self.clear_next:
            self.outputs.clear()
            self.clear_next = False
        self._append(output)

    def _updates(self, raw: dict[str, Any], output: dict[str, Any]) -> bool:
        """Is this another state of something shown before, under the same id?"""
        shown = raw.get("display_id")
        if output["output_type"] != "display_data" or not isinstance(shown, str):
            return False
        if raw.get("update"):
            if shown in self.displays:
                self.displays[shown].update(output)
            return True
        if len(self.displays) < MAX_OUTPUTS:
            self.displays[shown] = output
        return False

    def _append(self, output: dict[str, Any]) -> None:
        last = self.outputs[-1] if self.outputs else None
        if (
            output["output_type"] == "stream"
            and last is not None
            and last["output_type"] == "stream"
            and last["name"] == output["name"]
        ):
            last["text"] += output["text"]
        elif len(self.outputs) < MAX_OUTPUTS:
            self.outputs.append(output)

    def _clean(self, kind: Any, raw: dict[str, Any]) -> dict[str, Any] | None:
        if kind == "stream" and raw.get("name") in ("stdout", "stderr"):
            return {"output_type": "stream", "name": raw["name"], "text": text(raw.get("text"))}
        if kind == "error":
            trace = raw.get("traceback")
            lines = [text(line) for line in trace] if isinstance(trace, list) else []
            return {
                "output_type": "error",
                "ename": text(raw.get("ename"))[:200],
                "evalue": text(raw.get("evalue"))[:4000],
                "traceback": _shortened(lines),
            }
        if kind in ("display_data", "execute_result") and isinstance(raw.get("data"), dict):
            output: dict[str, Any] = {
                "output_type": kind,
                "data": bundle(raw["data"]),
                "metadata": {},
            }
            if kind == "execute_result":
                count = raw.get("execution_count")
                output["execution_count"] = (
                    count if type(count) is int and 0 <= count < 1 << 31 else None
                )
            return output
        return None

    def finished(self) -> list[dict[str, Any]]:
        """The outputs, shortened as nbgrader does it."""
        lines = 0
        for output in self.outputs:
            if output["output_type"] == "stream":
                kept = output["text"].split("\n", MAX_LINES + 1)
                if len(kept) + lines > MAX_LINES:
                    output["text"] = "\n".join(
                        [*kept[: max(0, MAX_LINES - lines - 1)], "... Output truncated ..."]
                    )
                lines = min(MAX_LINES, lines + len(kept))
        return self.outputs


def text(value: Any) -> str:
    """Text that can be written as UTF-8."""
    return outside.valid(value, MAX_TEXT)


def bundle(data: dict[str, Any]) -> dict[str, str]:
    """Of a result in several formats, those that cannot run and load nothing."""
    kept: dict[str, str] = {}
    for mime, value in data.items():
        if not isinstance(value, str):
            continue
        if mime == "text/plain":
            kept[mime] = text(value)
        elif mime in IMAGES and BASE64.fullmatch(value):
            kept[mime] = value
        elif mime == "text/html" and (cleaned := html(value)) is not None:
            kept[mime] = cleaned
    if not kept:
        kept["text/plain"] = "(an output in a format that is not kept)"
    return kept


def html(value: str) -> str | None:
    """HTML without what runs or is loaded from elsewhere; None if it is too much to look at.

    Formatting tags lose their attributes: of equal ones a parser carries at most three from block
    to block, of different ones all, and then a few kilobytes grow to gigabytes.
    """
    if len(value) > MAX_HTML or value.count("<") > MAX_TAGS:
        return None
    plain = FORMATTING.sub(lambda tag: f"<{tag[1]}>", outside.valid(value, MAX_HTML))
    return nh3.clean(
        plain,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"data"},
        link_rel=None,
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    return value if name != "src" or PICTURE.fullmatch(value) else None


def markdown(source: str) -> str:
    """A student's text as it stands in the graded notebook: nothing in it is loaded when opened.

    A tag is kept from being one by a space without width; a picture from elsewhere becomes a link.
    """
    return SHOWN.sub("[", TAG.sub("<\u200b", outside.valid(source, len(source) + 1)))


def _shortened(trace: list[str]) -> list[str]:
    half = MAX_TRACE // 2
    return (
        trace
        if len(trace) <= MAX_TRACE
        else [*trace[:half], "... Traceback truncated ...", *trace[-half + 1 :]]
    )
