"""A stand-in for the sandbox.

Everything on the trusted side runs as it is, only the child is made up.
"""

import json
import threading
from collections.abc import Callable
from typing import Any

from autograder.course import Limits
from autograder.grading import worker
from autograder.sandbox.orders import ChildDied, LimitHit, Spent

Answer = tuple[dict[str, Any], bytes, list[dict[str, Any]]]  # header, body, outputs before it


class Watch:
    def used(self) -> float:
        return 0.01


class FakeChild:
    """Answers an order with whatever it is given to say; an exception is raised."""

    def __init__(self, say: Callable[[str, dict[str, Any]], Answer | Exception]) -> None:
        self.say, self.watch, self.start_seconds = say, Watch(), 0.01

    def order(
        self,
        op: str,
        allowed: object,
        fields: dict[str, Any],
        on_output: Callable[[dict[str, Any]], None] | None = None,
        buffers: list[bytes] | None = None,
        on_question: object = None,
    ) -> tuple[dict[str, Any], bytearray]:
        said = self.say(op, fields)
        if isinstance(said, Exception):
            raise said
        header, body, outputs = said
        if on_output is not None:
            for output in outputs:
                on_output(json.loads(json.dumps(output)))
        return json.loads(json.dumps(header)), bytearray(body)

    def close(self) -> Spent:
        return Spent()


class FakePlace:
    level = 3

    def __init__(self, say: Callable[[str, dict[str, Any]], Answer | Exception]) -> None:
        self.say = say

    def launch(self, limits: Limits) -> FakeChild:
        return FakeChild(self.say)


def quiet(op: str, fields: dict[str, Any]) -> Answer:
    """A child in which every cell runs and every case fails."""
    failure = {"kind": "raised", "type": "E", "message": "", "line": None, "code": ""}
    if op == "play":
        return {"outcomes": [{"failure": failure}] * len(fields["cases"])}, b"", []
    return {"done": True, "count": 1, "value": None}, b"", []


class Here:
    """A pool that grades in this very process, behind no walls but without running any code."""

    size = 1

    def __init__(
        self, unit: str, say: Callable[[str, dict[str, Any]], Answer | Exception] = quiet
    ) -> None:
        self.unit, self.say, self.lock = unit, say, threading.Lock()

    def carry(self, request: bytes, seconds: float) -> bytes:
        with self.lock:
            worker._launchers[self.unit] = FakePlace(self.say)  # type: ignore[assignment]
            try:
                return worker.grade(request)
            finally:
                del worker._launchers[self.unit]

    def close(self) -> None: ...


__all__ = ["Answer", "ChildDied", "FakeChild", "FakePlace", "Here", "LimitHit", "quiet"]
