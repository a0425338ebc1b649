"""Outputs that came out of a student's process, made fit for a notebook that instructors and students will open."""

import re
from typing import Any

import nh3

PLAIN = ("text/plain",)
IMAGES = ("image/png", "image/jpeg", "image/gif")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
MAX_OUTPUTS, MAX_LINES, MAX_TRACE, MAX_TEXT = 500, 1000, 100, 1 << 20
SURROGATES = re.compile("[\ud800-\udfff]")


class Outputs:
    """Collects the outputs of one cell; anything malformed is dropped, anything active is cleaned."""

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
        shown = raw.get("display_id")
        if kind == "display_data" and isinstance(shown, str):
            if raw.get("update"):
                if shown in self.displays:
                    self.displays[shown].update(output)
                return
            if len(self.displays) < MAX_OUTPUTS:
                self.displays[shown] = output
        if self.clear_next:
            self.outputs.clear()
            self.clear_next = False
        last = self.outputs[-1] if self.outputs else None
        if kind == "stream" and last is not None and last["output_type"] == "stream" and last["name"] == output["name"]:
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
            output: dict[str, Any] = {"output_type": kind, "data": bundle(raw["data"]), "metadata": {}}
            if kind == "execute_result":
                count = raw.get("execution_count")
                output["execution_count"] = count if type(count) is int and 0 <= count < 1 << 31 else None
            return output
        return None

    def finished(self) -> list[dict[str, Any]]:
        """The outputs, shortened as nbgrader does it."""
        lines = 0
        for output in self.outputs:
            if output["output_type"] == "stream":
                kept = output["text"].split("\n", MAX_LINES + 1)
                if len(kept) + lines > MAX_LINES:
                    output["text"] = "\n".join([*kept[: max(0, MAX_LINES - lines - 1)], "... Output truncated ..."])
                lines = min(MAX_LINES, lines + len(kept))
        return self.outputs


def text(value: Any) -> str:
    """Text that can be written as UTF-8."""
    return SURROGATES.sub("\ufffd", value[:MAX_TEXT]) if isinstance(value, str) else ""


def bundle(data: dict[str, Any]) -> dict[str, str]:
    """Of a result in several formats, those that cannot run: plain text, pictures of pixels, and HTML without anything active."""
    kept: dict[str, str] = {}
    for mime, value in data.items():
        if not isinstance(value, str):
            continue
        if mime in PLAIN:
            kept[mime] = text(value)
        elif mime in IMAGES and BASE64.fullmatch(value):
            kept[mime] = value
        elif mime == "text/html":
            kept[mime] = nh3.clean(text(value))
    if not kept:
        kept["text/plain"] = "(an output in a format that is not kept)"
    return kept


def _shortened(trace: list[str]) -> list[str]:
    half = MAX_TRACE // 2
    return trace if len(trace) <= MAX_TRACE else [*trace[:half], "... Traceback truncated ...", *trace[-half + 1 :]]
