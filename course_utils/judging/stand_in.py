"""An earlier answer's place, taken by the reference, without the reference's code being there.

Where an exercise builds on an earlier answer that is wrong, it is judged a second time with a
stand-in under the earlier one's name. A stand-in computes nothing: each call becomes a question
(what was called, with which numbers), and whoever holds the reference answers it. In a notebook
that is the same process. In the grader it is the trusted side, and the student's process waits
for its answer: numbers cross the wall, never code.
"""

import builtins
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.judging.runner import TimeLimit, copy_weights, plain, time_limit

NUMBERS = 20_000  # in one question or answer: those of cases are far smaller
LARGEST = 1_000  # of a whole number in a question: it may be a size
SECONDS = 10.0  # for all answers while one exercise is judged
CALLS = 5_000  # questions while one exercise is judged
REFUSED = "StandInRefused"

Question = Mapping[str, Any]
Answer = Mapping[str, Any]  # {"value": …} or {"error": (type, message)}
Ask = Callable[[Question], Answer]


class StandInRefused(RuntimeError):
    """A question that is not answered: nothing can be said about the case."""


# where the student's code runs -------------------------------------------------------------------


class _Served(torch.autograd.Function):
    """The answer to a question as the result of an operation that can be differentiated: its
    gradient is another question."""

    @staticmethod
    def forward(ctx: Any, ask: Ask, question: Question, parts: list[Any], *inputs: Tensor) -> Any:
        ctx.ask, ctx.question = ask, question
        copies = tuple(part.clone() for part in parts)
        ctx.mark_non_differentiable(*(each for each in copies if not each.is_floating_point()))
        return copies

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        answer = ctx.ask({**ctx.question, "gradients": list(gradients)})
        return (None, None, None, *_value(answer))


def _value(answer: Answer) -> Any:
    if "error" not in answer:
        return answer["value"]
    kind, message = answer["error"]
    known = StandInRefused if kind == REFUSED else getattr(builtins, str(kind), RuntimeError)
    raise (known if issubclass(known, Exception) else RuntimeError)(message)


def _called(ask: Ask, question: Question) -> Any:
    value, inputs = _value(ask(question)), inputs_of(question)
    if not (torch.is_grad_enabled() and any(each.requires_grad for each in inputs)):
        return value
    whole = value if isinstance(value, tuple) else (value,)
    tensors = [part for part in whole if isinstance(part, Tensor)]
    results = iter(_Served.apply(ask, question, tensors, *inputs) if tensors else ())
    made = tuple(next(results) if isinstance(part, Tensor) else part for part in whole)
    return made if isinstance(value, tuple) else made[0]


def inputs_of(question: Question) -> list[Tensor]:
    """The tensors of a question that may have gradients, in a fixed order."""
    every = (*question["args"], *question["kwargs"].values(), *question["state"].values())
    return [each for each in every if isinstance(each, Tensor)]


def function_stand_in(name: str, ask: Ask) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return _called(ask, {"name": name, "args": args, "kwargs": kwargs, "state": {}})

    stand_in.__name__ = name
    return stand_in


def module_stand_in(name: str, ask: Ask) -> type[nn.Module]:
    """A module with the parameters of the reference, and questions for its forward."""

    class StandIn(nn.Module):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__()
            self._made = {"name": name, "init": args, "named": kwargs}
            state = _value(ask({**self._made, "args": (), "kwargs": {}, "state": {}, "make": True}))
            for path, tensor in state["parameters"].items():
                _place(self, path).register_parameter(path.split(".")[-1], nn.Parameter(tensor))
            for path, tensor in state["buffers"].items():
                _place(self, path).register_buffer(path.split(".")[-1], tensor)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            state = dict(self.state_dict(keep_vars=True))
            return _called(ask, {**self._made, "args": args, "kwargs": kwargs, "state": state})

    StandIn.__name__ = name
    return StandIn


def _place(module: nn.Module, path: str) -> nn.Module:
    """The module within a module that holds the parameter of this path, made if need be."""
    for part in path.split(".")[:-1]:
        if not hasattr(module, part):
            module.add_module(part, nn.Module())
        module = getattr(module, part)
    return module


@contextmanager
def standing_in(
    names: MutableMapping[str, Any], wanted: Sequence[tuple[str, bool]], ask: Ask
) -> Iterator[None]:
    """Put stand-ins (name, is it a module) into a namespace; afterwards it is as it was."""
    before = {name: names[name] for name, _ in wanted if name in names}
    for name, is_module in wanted:
        names[name] = (module_stand_in if is_module else function_stand_in)(name, ask)
    try:
        yield
    finally:
        for name, _ in wanted:
            names.pop(name, None)
        names.update(before)


# where the reference is --------------------------------------------------------------------------


@dataclass
class Oracle:
    """Answers questions about some references, so many and no more; notes which were asked for."""

    references: Mapping[str, Callable[..., Any]]
    asked: set[str] = field(default_factory=set)
    count: int = 0
    seconds: float = 0.0  # of processor time, spent so far
    watch: Callable[[float], AbstractContextManager[None]] = field(
        default_factory=lambda: time_limit, init=False
    )

    @property
    def wanted(self) -> list[tuple[str, bool]]:
        """The stand-ins that it speaks for: (name, is it a module)."""
        return [
            (name, isinstance(each, type) and issubclass(each, nn.Module))
            for name, each in self.references.items()
        ]

    def __call__(self, question: Question) -> Answer:
        self.count += 1
        began = time.process_time()
        try:
            reference = self.references[question["name"]]
            if self.count > CALLS or self.seconds > SECONDS or not bounded(question):
                raise StandInRefused("too many questions, or too large ones")
            self.asked.add(question["name"])
            with self.watch(SECONDS - self.seconds), torch.random.fork_rng(devices=[]):
                value = _computed(reference, question)
            if not bounded(value):
                raise StandInRefused("an answer that is too large")
            return {"value": value}
        except (Exception, TimeLimit) as error:  # a question may be anything
            known = type(error).__name__ if isinstance(error, Exception) else REFUSED
            return {"error": (known, str(error)[:500])}
        finally:
            self.seconds += time.process_time() - began


def bounded(value: Any, depth: int = 0) -> bool:
    """Is a question of a size that an honest one has?"""
    return depth < 6 and _weight(value, depth) <= NUMBERS


def _weight(value: Any, depth: int) -> int:
    if depth >= 6:
        return NUMBERS + 1
    if isinstance(value, Tensor):
        return 1 + value.numel()
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return NUMBERS + 1
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, tuple | list):
        return 1 + sum(_weight(item, depth + 1) for item in value)
    return 1


def _computed(reference: Callable[..., Any], question: Question) -> Any:
    function, state = reference, {}
    if "init" in question:
        function = reference(*question["init"], **question["named"])
        if not isinstance(function, nn.Module):
            raise TypeError("not a module")
        if question.get("make"):
            return _state(function)
        if problem := copy_weights(function, question["state"]):
            raise RuntimeError(problem)
        function.eval()
        state = function.state_dict(keep_vars=True)
    if "gradients" not in question:
        with torch.no_grad():
            return plain(function(*question["args"], **question["kwargs"]))
    with torch.enable_grad():  # off while another gradient is being taken
        return _gradients(function, state, question)


def _state(module: nn.Module) -> dict[str, dict[str, Tensor]]:
    parameters = dict(module.named_parameters())
    every = module.state_dict()
    return {
        "parameters": {name: every[name] for name in every if name in parameters},
        "buffers": {name: every[name] for name in every if name not in parameters},
    }


def _gradients(
    function: Callable[..., Any], state: Mapping[str, Tensor], question: Question
) -> list[Tensor | None]:
    def tracked(value: Any) -> Any:
        if isinstance(value, Tensor) and value.is_floating_point():
            return value.detach().clone().requires_grad_()
        return value

    args = tuple(tracked(value) for value in question["args"])
    kwargs = {key: tracked(value) for key, value in question["kwargs"].items()}
    own = {name: state[name] for name in question["state"]}  # in the order of the question
    inputs = inputs_of({"args": args, "kwargs": kwargs, "state": own})
    result = function(*args, **kwargs)
    parts = result if isinstance(result, tuple) else (result,)
    tensors = [part for part in parts if isinstance(part, Tensor)]
    pairs = [
        (part, gradient)
        for part, gradient in zip(tensors, question["gradients"], strict=True)
        if part.requires_grad and gradient is not None
    ]
    wanted = [each for each in inputs if each.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    if any(part.shape != gradient.shape for part, gradient in pairs):
        raise ValueError("a gradient of another shape than its result")
    # a scalar's gradient: with several results torch would import sympy, for a second
    total = torch.stack([(part * gradient).sum() for part, gradient in pairs]).sum()
    found = iter(torch.autograd.grad(total, wanted, allow_unused=True))
    return [next(found) if each.requires_grad else None for each in inputs]
