"""An attempt in another process: cases go out as inputs, outcomes come back as data, and nothing else crosses."""

from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.sandbox import wire
from autograder.sandbox.wire import Record, WireError
from course_utils.play import Call, Case, Failure, Opaque, Outcome
from course_utils.toys import Toy

KINDS = ("raised", "time", "missing", "parameters")  # what a child may say of itself; "limit" and "crash" are said of it
TEXT = 4000  # characters of a message


def request_of(case: Case) -> dict[str, Any]:
    """What the other side needs to play a case: never its label, its group or what is expected."""
    return {
        "label": "",
        "args": sent(case.args),
        "kwargs": sent(dict(case.kwargs)),
        "init": sent(case.init),
        "weights": sent(dict(case.weights)) if case.weights is not None else None,
        "method": case.method,
        "then": tuple(sent(call) for call in case.then),
        "gradients": case.gradients,
    }


def sent(value: Any) -> Any:
    """A value with the types of the course replaced by records."""
    if isinstance(value, Toy):
        return Record("toy", {"name": value.name, "weights": sent(dict(value.weights)), "config": sent(dict(value.config))})
    if isinstance(value, Call):
        return Record("call", {"args": sent(value.args), "kwargs": sent(dict(value.kwargs)), "method": value.method})
    if isinstance(value, torch.Generator):
        return Record("generator", {"seed": value.initial_seed()})
    if isinstance(value, torch.dtype):
        return Record("dtype", {"name": str(value).removeprefix("torch.")})
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, list | tuple):
        return type(value)(sent(item) for item in value)
    if isinstance(value, dict):
        return {key: sent(item) for key, item in value.items()}
    return value


@dataclass
class Requests:
    """Encoded cases, kept: every submission is asked the same."""

    size: int = 4096
    kept: dict[int, tuple[Case, Any, list[bytes]]] = field(default_factory=dict)

    def encode(self, cases: list[Case]) -> tuple[list[Any], list[bytes]]:
        nodes, buffers = [], []
        for case in cases:
            found = self.kept.get(id(case))
            if found is None or found[0] is not case:
                own: list[bytes] = []
                found = (case, wire.encode(request_of(case), own), own)
                if len(self.kept) < self.size:
                    self.kept[id(case)] = found
            nodes.append(found[1])
            buffers += found[2]
        return nodes, buffers


def outcomes_of(header: dict[str, Any], body: bytes | bytearray, count: int) -> list[Outcome]:
    """What a child answered, strictly: WireError unless it is exactly `count` well-formed outcomes."""
    nodes = header.get("outcomes")
    if type(nodes) is not list or len(nodes) != count:
        raise WireError(str(header["refused"])[:200] if type(header.get("refused")) is str else "the answer is not a list of outcomes")
    tree: list[Any] = []
    for node in nodes:
        if type(node) is not dict:
            raise WireError("an outcome is not an object")
        if set(node) == {"failure"}:
            tree.append(None)
        elif set(node) == {"values", "changed", "gradients"} and type(node["values"]) is list and type(node["gradients"]) is dict:
            tree.append([node["values"], list(node["gradients"].values())])
        else:
            raise WireError("an outcome has other fields than it should")
    decoded = wire.Decoder(body, _opaque).decode(tree)
    return [_outcome(node, values) for node, values in zip(nodes, decoded, strict=True)]


def _opaque(record: Record) -> Opaque:
    if record.name != "opaque" or set(record.fields) != {"type"} or type(record.fields["type"]) is not str:
        raise WireError("an unknown record")
    return Opaque(record.fields["type"][:100])


def _outcome(node: dict[str, Any], decoded: Any) -> Outcome:
    if decoded is None:
        return Outcome(failure=_failure(node["failure"]))
    values, gradients = decoded
    changed = node["changed"]
    if type(changed) is not list or not all(type(index) is int and 0 <= index < 64 for index in changed):
        raise WireError("not a list of changed arguments")
    if not all(gradient is None or isinstance(gradient, torch.Tensor) for gradient in gradients):
        raise WireError("a gradient that is not a tensor")
    return Outcome(tuple(values), tuple(changed), dict(zip(node["gradients"], gradients, strict=True)))


def _failure(node: Any) -> Failure:
    if type(node) is not dict or set(node) != {"kind", "type", "message", "line", "code"}:
        raise WireError("a failure that is not one")
    texts = [node["type"], node["message"], node["code"]]
    if node["kind"] not in KINDS or not all(type(text) is str for text in texts):
        raise WireError("a failure of unknown kind")
    line = node["line"]
    if not (line is None or (type(line) is int and 0 <= line < 1 << 31)):
        raise WireError("a line that is no number")
    return Failure(node["kind"], texts[0][:200], texts[1][:TEXT], line, texts[2][:TEXT])
