"""Put a case to an answer and note what came of it.

This file runs wherever student code runs: in the notebook, and in the grader's sandboxed child.
It knows no expected value.
"""

import io
import linecache
import signal
import sysconfig
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from ctypes import c_long, py_object, pythonapi
from dataclasses import dataclass, field
from dis import opname
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.judging.toys import Toy, build

HERE = str(Path(__file__).parents[1])
LIBRARIES = tuple(
    {sysconfig.get_path("stdlib"), sysconfig.get_path("platlib"), sysconfig.get_path("purelib")}
)
PATIENCE = 4  # times its limit: the most that code may take that is kept waiting, or sleeps


@dataclass(frozen=True)
class Call:
    """A further call: on what the first call returned, or for a module on the module itself."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    method: str | None = None


@dataclass(frozen=True)
class Case:
    """One question put to an answer: what to call it with, and how to look at what comes back."""

    label: str  # in words, for the student: "3 queries, 5 keys"
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    group: str = "basic"
    init: tuple[Any, ...] | None = None  # module: arguments of its constructor
    weights: Mapping[str, Tensor] | None = None  # module: state to copy in after construction
    method: str | None = None  # module: a method instead of forward
    then: tuple[Call, ...] = ()
    # Also take gradients of a fixed projection of all results, for every float input and parameter.
    gradients: bool = False
    raises: type[Exception] | None = None  # a right answer raises this
    verify: Callable[["Outcome"], str | None] | None = (
        None  # instead of equality with the reference: what is wrong, or None
    )
    hidden_values: bool = False  # do not print inputs and outputs as a counterexample (large ones)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the answer is called with: first by position, then by keyword."""
        return (*self.args, *self.kwargs.values())

    @property
    def size(self) -> int:
        """How many numbers a reader would have to look at."""
        return sum(value.numel() if isinstance(value, Tensor) else 1 for value in self.args)


@dataclass(frozen=True)
class Failure:
    """Why a case has no values: what was raised, and where in the student's code."""

    kind: str  # "raised", "time", "missing", "parameters", "crash", "limit"
    type: str = ""
    message: str = ""
    line: int | None = None
    code: str = ""


@dataclass(frozen=True)
class Opaque:
    """Stands for a result that is not data, such as a trained model."""

    type: str


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    values: tuple[Any, ...] = ()  # of the first call, then of each further one
    changed: tuple[int, ...] = ()  # positions in `Case.inputs` of what was modified in place
    gradients: Mapping[str, Tensor | None] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def value(self) -> Any:
        """What the first call returned."""
        return self.values[0] if self.values else None

    def result(self, index: int) -> Any:
        """The index-th thing that the first call returned (a tuple or a single value)."""
        value = self.value
        if isinstance(value, tuple | list):
            return value[index] if index < len(value) else None
        return value if index == 0 else None


class TimeLimit(BaseException):
    """Raised into code that runs too long; not an Exception, so that `except Exception` does not
    swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in this thread once the time is over (works in a notebook on every platform,
    between two bytecodes). On a busy machine, where it was hardly let run, it gets more."""
    thread, finished = threading.get_ident(), threading.Event()
    used, start = time.process_time(), time.monotonic()

    def over() -> bool:
        waited, worked = time.monotonic() - start, time.process_time() - used
        return waited >= PATIENCE * seconds or (waited >= seconds and worked >= seconds / 2)

    def interrupt() -> None:
        wait = seconds
        # Again and again: a bare `except:` may swallow the first one
        while not finished.wait(wait):
            wait = min(0.5, seconds)
            if over():
                pythonapi.PyThreadState_SetAsyncExc(c_long(thread), py_object(TimeLimit))

    watchdog = threading.Thread(target=interrupt, daemon=True)
    watchdog.start()
    try:
        yield
    finally:
        finished.set()
        watchdog.join()


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """The same by a timer of the process, which needs no thread: for a main thread, where nothing
    sleeps, or whoever sleeps is stopped from outside. It counts processor time."""

    def interrupt(*_: object) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGPROF, interrupt)
    # Again and again: a bare `except:` may swallow the first one
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fresh(value: Any, track: bool = False) -> Any:
    """A copy of an argument that the answer may do with what it likes."""
    if isinstance(value, Tensor):
        copy = value.detach().clone()
        return copy.requires_grad_() if track and copy.is_floating_point() else copy
    if isinstance(value, Toy):
        return build(value)
    if isinstance(value, torch.Generator):
        return torch.Generator().manual_seed(value.initial_seed())
    if isinstance(value, list | tuple):
        return type(value)(fresh(item, track) for item in value)
    if isinstance(value, dict):
        return {key: fresh(item, track) for key, item in value.items()}
    return value


def working_copy(leaf: Any) -> Any:
    """What is handed over of an argument whose gradient is wanted: torch refuses to change a leaf
    in place, and that mistake is to cost the same with gradients as without."""
    if isinstance(leaf, list | tuple):
        return type(leaf)(working_copy(item) for item in leaf)
    if isinstance(leaf, dict):
        return {key: working_copy(item) for key, item in leaf.items()}
    return leaf.clone() if isinstance(leaf, Tensor) and leaf.requires_grad else leaf


def plain(value: Any) -> Any:
    """A result as data: tensors without history, numbers, strings, and
    Opaque for everything else."""
    if isinstance(value, Tensor):
        return torch.Tensor.detach(value).cpu().clone()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return torch.as_tensor(value)
    return Opaque(type(value).__name__)


def tensors_of(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors_of(item)


def projection(values: Any) -> Tensor:
    """A scalar that depends on every entry of every float tensor in the result: a sum would be
    blind behind a layer norm."""
    total = torch.zeros(())
    for number, tensor in enumerate(tensors_of(values)):
        if tensor.is_floating_point():
            weights = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(number))
            total = total + (tensor * weights.to(tensor.dtype)).nan_to_num().sum()
    return total


def gradients_of(values: Any, named: dict[str, Tensor]) -> dict[str, Tensor | None]:
    total = projection(values)
    if not total.requires_grad or not named:
        return dict.fromkeys(named)
    found = torch.autograd.grad(total, list(named.values()), allow_unused=True)
    return {name: None if g is None else g.detach() for name, g in zip(named, found, strict=True)}


def is_students(filename: str) -> bool:
    """Is this file a cell or an answer, rather than the course or a library?"""
    return not filename.startswith((HERE, *LIBRARIES)) and not filename.startswith("<frozen")


def failure_of(error: BaseException, kind: str = "raised") -> Failure:
    """The error in a form that can be sent, with the deepest line of the student's own code."""
    line, code = None, ""
    trace: TracebackType | None = error.__traceback__
    for frame in traceback.extract_tb(trace):
        if is_students(frame.filename):
            line, code = (
                frame.lineno,
                (frame.line or linecache.getline(frame.filename, frame.lineno or 0)).strip(),
            )
    try:
        message = str(error)
    except Exception:
        message = "(the error has no readable message)"
    return Failure(kind, type(error).__name__, message[:2000], line, code[:500])


def left_out(error: NotImplementedError) -> bool:
    """Did the student's own code raise it by a `raise`? torch has errors of this type, too."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not is_students(trace.tb_frame.f_code.co_filename):
        return False
    return opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def play(case: Case, target: Callable[..., Any]) -> Outcome:
    """Call `target` as the case says; whatever happens becomes an outcome."""
    try:
        return _with_changed_inputs(case, target)
    except TimeLimit as error:
        return Outcome(failure=failure_of(error, "time"))
    except NotImplementedError as error:
        return Outcome(failure=failure_of(error, "missing" if left_out(error) else "raised"))
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return Outcome(failure=failure_of(error))


def _with_changed_inputs(case: Case, target: Callable[..., Any]) -> Outcome:
    """Play the case; an answer that changes its inputs in place gets its gradients all the same, as
    that mistake is noted by itself. Where it spoils other tensors, nothing could be learned."""
    try:
        return _play(case, target)
    except RuntimeError as error:
        if not case.gradients or "modified by an inplace operation" not in str(error):
            raise
        # what torch keeps for the way back is copied at once (its own
        # `allow_mutation_on_saved_tensors` imports the compiler, which takes seconds)
        with torch.autograd.graph.saved_tensors_hooks(_copied, _as_it_is):
            outcome = _play(case, target)
        if not outcome.changed:
            raise
        return outcome


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def _as_it_is(tensor: Tensor) -> Tensor:
    return tensor


def _play(case: Case, target: Callable[..., Any]) -> Outcome:
    function = target
    parameters: dict[str, Tensor] = {}
    if case.init is not None:
        function = target(*fresh(case.init))
        if isinstance(function, nn.Module):
            if case.weights is not None:
                problem = copy_weights(function, case.weights)
                if problem:
                    return Outcome(failure=Failure("parameters", "RuntimeError", problem))
            function.eval()
            parameters = dict(function.named_parameters())
    made = function
    if case.method is not None:
        function = getattr(function, case.method)
    leaves = fresh(case.args, case.gradients)
    named_leaves = fresh(dict(case.kwargs), case.gradients)
    args, kwargs = working_copy(leaves), working_copy(named_leaves)
    with torch.set_grad_enabled(case.gradients or not isinstance(made, nn.Module)):
        value = function(*args, **kwargs)
    raw, values, further = [value], [plain(value)], []
    for call in case.then:
        callee = made if case.init is not None else value
        callee = getattr(callee, call.method) if call.method else callee
        further.append(fresh(call.args, case.gradients))
        with torch.set_grad_enabled(case.gradients):
            raw.append(callee(*working_copy(further[-1]), **fresh(dict(call.kwargs))))
        values.append(plain(raw[-1]))  # at once: a later call may overwrite it
    gradients = {}
    if case.gradients:
        inputs = float_inputs((*leaves, *named_leaves.values()), further)
        gradients = gradients_of(raw, inputs | parameters)
    given = (*args, *kwargs.values())
    changed = tuple(
        i for i, (a, b) in enumerate(zip(case.inputs, given, strict=True)) if not same(a, b)
    )
    return Outcome(tuple(values), changed, gradients)


def float_inputs(args: Any, further: Iterable[Any] = ()) -> dict[str, Tensor]:
    """Every float tensor among the arguments of a call and of further ones, by the name that its
    gradient has: `argument 1`, `argument 1[0]` in a list or tuple, `argument 0 of call 2`."""

    def found(value: Any, name: str) -> Iterator[tuple[str, Tensor]]:
        if isinstance(value, Tensor) and value.is_floating_point():
            yield name, value
        elif isinstance(value, tuple | list):
            for number, item in enumerate(value):
                yield from found(item, f"{name}[{number}]")

    calls = [("", args), *((f" of call {n}", each) for n, each in enumerate(further, start=2))]
    return {
        f"argument {i}{inner}{which}": tensor
        for which, each in calls
        for i, value in enumerate(each)
        for inner, tensor in found(value, "")
    }


def same(before: Any, after: Any) -> bool:
    """Are all tensors of an argument (itself, in a list or tuple, or in a layer) as they were?"""
    if isinstance(before, Toy):
        now = after.state_dict() if isinstance(after, nn.Module) else {}
        return all(same(before.weights[name], now[name]) for name in now if name in before.weights)
    if not isinstance(before, Tensor):
        pairs = list(tensors_of(before)), list(tensors_of(after))
        return len(pairs[0]) == len(pairs[1]) and all(
            same(a, b) for a, b in zip(*pairs, strict=True)
        )
    if before.shape != after.shape:
        return False
    now = after.detach().to(before.dtype)
    return torch.equal(before, now) or torch.equal(before.nan_to_num(), now.nan_to_num())


def copy_weights(module: nn.Module, weights: Mapping[str, Tensor]) -> str:
    """Copy a state into a module; says what does not fit, or nothing."""
    own = module.state_dict()
    missing, extra = sorted(set(weights) - set(own)), sorted(set(own) - set(weights))
    wrong = sorted(
        name for name in set(own) & set(weights) if own[name].shape != weights[name].shape
    )
    if missing or extra or wrong:
        parts = [
            ("it lacks", missing),
            ("it has in addition", extra),
            ("these have another shape:", wrong),
        ]
        return "; ".join(
            f"{text} {', '.join(names[:4])}{' …' if len(names) > 4 else ''}"
            for text, names in parts
            if names
        )
    module.load_state_dict(dict(weights))
    return ""


@contextmanager
def quiet() -> Iterator[None]:
    """What an answer prints or warns of while it is checked is not shown: nbgrader takes any
    standard error for a failure."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def play_all(
    cases: list[Case],
    target: Callable[..., Any],
    limit: float,
    watch: Callable[[float], AbstractContextManager[None]] = time_limit,
) -> list[Outcome]:
    """Play the cases within one time limit, kept by `watch`; those that no longer fit are marked
    so.
    """
    outcomes: list[Outcome] = []
    try:
        with quiet(), watch(limit):
            for case in cases:
                outcomes.append(play(case, target))
                if (failure := outcomes[-1].failure) is not None and failure.kind == "time":
                    break
    except TimeLimit as error:
        outcomes.append(Outcome(failure=failure_of(error, "time")))
    late = Outcome(
        failure=Failure("time", "TimeLimit", "not run: an earlier case used up the time")
    )
    return (outcomes + [late] * len(cases))[: len(cases)]


__all__ = [
    "Call",
    "Case",
    "Failure",
    "Opaque",
    "Outcome",
    "TimeLimit",
    "plain",
    "play",
    "play_all",
    "time_limit",
]
