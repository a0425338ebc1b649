"""An attempt in another process: cases go out as inputs, outcomes come back as data.

What a child says of itself is believed only where a lie gains nothing. Values and gradients, as
many as were asked for, are compared with the expected ones. A failure never passes, except where
a right answer raises an error: then raising it is all that is asked. Whoever controls the child
can hide that an argument was changed in place; so can an honest `clone()`, which is what the law
asks for. Texts are cut and cleaned.
"""

from dataclasses import dataclass, field
from typing import Any

import torch

from autograder import outside
from autograder.sandbox import wire
from autograder.sandbox.wire import Record, WireError
from course_utils.judging.runner import Call, Case, Failure, Opaque, Outcome, float_inputs
from course_utils.judging.toys import Toy

KINDS = ("raised", "time", "missing", "parameters")  # what a child may say of itself
TEXT, NAME = 4000, 200  # characters of a message, of a name
PARAMETERS = 1000  # of a module: so many gradients are looked at


def request_of(case: Case) -> dict[str, Any]:
    """What the other side needs to play a case: never its label, group or what is expected."""
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
        return Record(
            "toy",
            {
                "name": value.name,
                "weights": sent(dict(value.weights)),
                "config": sent(dict(value.config)),
            },
        )
    if isinstance(value, Call):
        return Record(
            "call",
            {"args": sent(value.args), "kwargs": sent(dict(value.kwargs)), "method": value.method},
        )
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
    """Encoded cases, kept for a while: the visible ones are put to every submission."""

    size: int = 256
    kept: dict[int, tuple[Case, Any, list[bytes]]] = field(default_factory=dict)

    def encode(self, cases: list[Case]) -> tuple[list[Any], list[bytes]]:
        nodes, buffers = [], []
        for case in cases:
            found = self.kept.get(id(case))
            if found is None or found[0] is not case:
                own: list[bytes] = []
                found = (case, wire.encode(request_of(case), own), own)
                if len(self.kept) >= self.size:
                    self.kept.clear()
                self.kept[id(case)] = found
            nodes.append(found[1])
            buffers += found[2]
        return nodes, buffers


def outcomes_of(
    header: dict[str, Any], body: bytes | bytearray, cases: list[Case]
) -> list[Outcome]:
    """What a child answered: WireError unless it is one well-formed outcome for each case."""
    nodes = header.get("outcomes")
    if type(nodes) is not list or len(nodes) != len(cases):
        raise WireError("the answer is not a list of outcomes")
    tree: list[Any] = []
    for node in nodes:
        if type(node) is not dict:
            raise WireError("an outcome is not an object")
        if set(node) == {"failure"}:
            tree.append(None)
        elif (
            set(node) == {"values", "changed", "gradients"}
            and type(node["values"]) is list
            and type(node["gradients"]) is dict
        ):
            tree.append([node["values"], list(node["gradients"].values())])
        else:
            raise WireError("an outcome has other fields than it should")
    decoded = wire.Decoder(body, _opaque).decode(tree)
    return [_outcome(*each) for each in zip(cases, nodes, decoded, strict=True)]


def _opaque(record: Record) -> Opaque:
    if (
        record.name != "opaque"
        or set(record.fields) != {"type"}
        or type(record.fields["type"]) is not str
    ):
        raise WireError("an unknown record")
    return Opaque(outside.line(record.fields["type"], 100))


def _outcome(case: Case, node: dict[str, Any], decoded: Any) -> Outcome:
    if "failure" in node:
        return Outcome(failure=_failure(node["failure"]))
    values, gradients = decoded
    changed = node["changed"]
    if type(changed) is not list or not all(
        type(index) is int and 0 <= index < len(case.inputs) for index in changed
    ):
        raise WireError("not a list of changed arguments")
    if not all(gradient is None or isinstance(gradient, torch.Tensor) for gradient in gradients):
        raise WireError("a gradient that is not a tensor")
    found = dict(zip(node["gradients"], gradients, strict=True))
    if problem := _not_as_asked(case, len(values), set(found)):
        return Outcome(failure=Failure("crash", "", problem))
    return Outcome(tuple(values), tuple(changed), found)


def question_of(node: Any, body: bytes | bytearray) -> dict[str, Any]:
    """A question of a stand-in: WireError unless it has the form that `stand_in.py` gives it."""
    decoded = wire.Decoder(body, _opaque).decode(node)
    forms = {"name": str, "args": tuple, "kwargs": dict, "state": dict}
    more = {"init": tuple, "named": dict, "make": bool, "gradients": list}
    if (
        type(decoded) is not dict
        or not set(forms) <= set(decoded) <= set(forms | more)
        or not all(type(part) is (forms | more)[key] for key, part in decoded.items())
        or not all(isinstance(each, torch.Tensor) for each in decoded["state"].values())
        or ("init" in decoded) != ("named" in decoded)
    ):
        raise WireError("a question that is not one")
    return dict(decoded)


def _not_as_asked(case: Case, values: int, gradients: set[str]) -> str:
    """What a child that did its work cannot have left out or made up, or nothing."""
    if values != 1 + len(case.then):
        return f"it answered {1 + len(case.then)} calls with {values} results"
    arguments = set(float_inputs(case.inputs, (call.args for call in case.then)))
    asked = arguments if case.gradients else set()
    if case.init is None and not gradients <= asked:
        return "it sent gradients that nobody asked for"
    if case.init is not None and len(gradients - asked) > (PARAMETERS if case.gradients else 0):
        return "it sent more gradients than anybody asked for"
    return ""  # one that is missing counts as none: no gradient reaches that argument


def _failure(node: Any) -> Failure:
    if type(node) is not dict or set(node) != {"kind", "type", "message", "line", "code"}:
        raise WireError("a failure that is not one")
    texts = [node["type"], node["message"], node["code"]]
    if node["kind"] not in KINDS or not all(type(text) is str for text in texts):
        raise WireError("a failure of unknown kind")
    line = node["line"]
    if not (line is None or (type(line) is int and 0 <= line < 1 << 31)):
        raise WireError("a line that is no number")
    name, message, code = texts
    return Failure(
        node["kind"],
        outside.line(name, NAME),
        outside.text(message, TEXT),
        line,
        outside.text(code, TEXT),
    )
