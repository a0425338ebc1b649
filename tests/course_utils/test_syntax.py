"""What belongs to an answer, and what only stands beside it."""

import ast
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_utils import exercises
from course_utils.judging import syntax
from course_utils.judging.judge import LocalAttempt, Verdict, judge

ANSWER = (
    "def layer_norm(x, gamma, beta, eps=1e-5):\n"
    "    spread = (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt()\n"
    "    return (x - x.mean(-1, keepdim=True)) / spread * gamma + beta\n"
)
BESIDE = {
    "a class": "class Block(nn.Module):\n    def make(self):\n        return nn.LayerNorm(8)\n",
    "an import": "from torch.nn import LayerNorm\n",
    "a variable": "norm = nn.LayerNorm(8)\n",
    "a stub": "def later(x):\n    ...\n",
}
CALLED = {
    "a function": ("def helper(x):\n    return F.layer_norm(x, x.shape[-1:])\n", "helper(x)"),
    "a chain": (
        "def inner(x):\n    return F.layer_norm(x, x.shape[-1:])\n"
        "def helper(x):\n    return inner(x)\n",
        "helper(x)",
    ),
    "an import": (
        "from torch.nn.functional import layer_norm as helper\n",
        "helper(x, x.shape[-1:])",
    ),
    "a variable": ("helper = F.layer_norm\n", "helper(x, x.shape[-1:])"),
    "a statement that runs anyway": (
        "torch.helper = F.layer_norm\n",
        "torch.helper(x, x.shape[-1:])",
    ),
}


def verdict(source: str) -> Verdict:
    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F}
    exec(source, names)
    return judge(exercises.find("layer_norm"), LocalAttempt(names["layer_norm"], source))


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_what_stands_beside_an_answer_may_do_as_it_likes(beside: str) -> None:
    assert verdict(beside + ANSWER).status == "passed"
    assert verdict(ANSWER + beside).status == "passed"


@pytest.mark.parametrize(("helper", "call"), CALLED.values(), ids=CALLED)
def test_what_an_answer_calls_belongs_to_it(helper: str, call: str) -> None:
    assert (
        verdict(
            f"{helper}def layer_norm(x, gamma, beta, eps=1e-5):\n    return {call} * gamma + beta\n"
        ).status
        == "not allowed"
    )


def parsed(source: str) -> ast.Module:
    tree = syntax.parse(source)
    assert tree is not None
    return tree


def test_an_answer_under_a_branch_is_taken_with_all_of_the_cell() -> None:
    tree = parsed("if True:\n    def f():\n        ...\nnorm = nn.LayerNorm(8)\n")
    assert ast.dump(syntax.own(tree, "f")) == ast.dump(tree)


def test_definitions_are_found_in_every_form() -> None:
    for source in (
        "def f(): pass",
        "class f: pass",
        "f = 1",
        "f: int = 1",
        "a, f = 1, 2",
        "a.b = f = 1",
    ):
        assert syntax.defines(parsed(source), "f"), source
    assert not syntax.defines(parsed("a.f = 1\nf.x = 2\nfrom m import f\n"), "f")


OWN_NAMES = {
    "a keyword of an own function": "def f(x, label=0):\n    return x\nf(1, label=2)",
    "a keyword of an own lambda": "f = lambda x, label=0: x\nf(1, label=2)",
    "a keyword of a partial": "def f(x, label=0):\n    return x\nfunctools.partial(f, label=2)",
    "an own method": "class A:\n    def label(self, x):\n        return x\nA().label(3)",
    "a method of an object": "class A:\n    def label(self):\n        pass\na = A()\na.label()",
    "a field": "class A:\n    def __init__(self):\n        self.label = 1\n    def f(self):\n"
    "        return self.label",
    "the course's function": "from course_utils.dot_product_attention import label",
}
REACHED = {
    "a method": "x.label()",
    "a keyword": "f(x, label=2)",
    "an import": "from torch import label",
    "an inherited method": "class A(torch.Tensor):\n    def f(self):\n        return self.label()",
    "what lies above": "class A(B):\n    def label(self):\n        return super().label()",
    "a name in a string": "getattr(torch, 'label')",
    "a partial of torch's": "functools.partial(F.loss, label=2)",
}


@pytest.mark.parametrize("source", OWN_NAMES.values(), ids=OWN_NAMES)
def test_what_an_answer_defines_itself_is_not_reached_for(source: str) -> None:
    assert not syntax.uses(ast.parse(source), "label")


@pytest.mark.parametrize("source", REACHED.values(), ids=REACHED)
def test_what_a_library_has_is_reached_for(source: str) -> None:
    assert syntax.uses(ast.parse(source), "label")


@pytest.mark.parametrize(
    "source",
    [
        "from course_utils.transformer_encoder import layer_norm\n",
        "def layer_norm(*args):\n"
        "    from course_utils.transformer_encoder import layer_norm as theirs\n"
        "    return theirs(*args)\n",
    ],
)
def test_the_courses_own_solution_is_no_answer(source: str) -> None:
    found = verdict(source)
    assert (found.points, found.status) == (0, "not allowed")
    assert "layer_norm" in found.message


@pytest.mark.parametrize(
    ("body", "ignored"),
    [
        ("return torch.manual_seed(seed)", False),
        ("seed = int(seed)\n    return torch.manual_seed(seed)", False),
        ("return [lambda: seed]", False),
        ("return torch.manual_seed(0)", True),
        ("seed = 0\n    return torch.manual_seed(seed)", True),
    ],
)
def test_a_parameter_that_is_never_read(body: str, ignored: bool) -> None:
    tree = ast.parse(f"def train(tokens, seed):\n    {body}\n")
    assert syntax.ignores(tree, "train", 1) is ignored
    assert not syntax.ignores(tree, "train", 2), "there is no such parameter"
    assert not syntax.ignores(tree, "another", 1)
