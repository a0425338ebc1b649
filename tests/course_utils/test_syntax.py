"""What belongs to an answer, and what only stands beside it."""

import ast

import pytest

from course_utils import exercises, syntax
from course_utils.judge import LocalAttempt, judge

ANSWER = "def layer_norm(x, gamma, beta, eps=1e-5):\n    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt() * gamma + beta\n"
BESIDE = {
    "a class": "class Block(nn.Module):\n    def __init__(self):\n        self.norm = nn.LayerNorm(8)\n",
    "an import": "from torch.nn import LayerNorm\n",
    "a variable": "norm = nn.LayerNorm(8)\n",
    "a stub": "def later(x):\n    ...\n",
}
CALLED = {
    "a function": ("def helper(x):\n    return F.layer_norm(x, x.shape[-1:])\n", "helper(x)"),
    "a chain": ("def inner(x):\n    return F.layer_norm(x, x.shape[-1:])\ndef helper(x):\n    return inner(x)\n", "helper(x)"),
    "an import": ("from torch.nn.functional import layer_norm as helper\n", "helper(x, x.shape[-1:])"),
    "a variable": ("helper = F.layer_norm\n", "helper(x, x.shape[-1:])"),
    "a statement that runs anyway": ("torch.helper = F.layer_norm\n", "torch.helper(x, x.shape[-1:])"),
}


def verdict(source):
    import torch
    import torch.nn.functional as F
    from torch import nn

    names = {"torch": torch, "nn": nn, "F": F}
    exec(source, names)
    return judge(exercises.find("layer_norm"), LocalAttempt(names["layer_norm"], source))


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_what_stands_beside_an_answer_may_do_as_it_likes(beside):
    assert verdict(beside + ANSWER).status == "passed"
    assert verdict(ANSWER + beside).status == "passed"


@pytest.mark.parametrize(("helper", "call"), CALLED.values(), ids=CALLED)
def test_what_an_answer_calls_belongs_to_it(helper, call):
    assert verdict(f"{helper}def layer_norm(x, gamma, beta, eps=1e-5):\n    return {call} * gamma + beta\n").status == "not allowed"


def test_an_answer_under_a_branch_is_taken_with_all_of_the_cell():
    tree = syntax.parse("if True:\n    def f():\n        ...\nnorm = nn.LayerNorm(8)\n")
    assert ast.dump(syntax.own(tree, "f")) == ast.dump(tree)


def test_definitions_are_found_in_every_form():
    for source in ("def f(): pass", "class f: pass", "f = 1", "f: int = 1", "a, f = 1, 2", "a.b = f = 1"):
        assert syntax.defines(syntax.parse(source), "f"), source
    assert not syntax.defines(syntax.parse("a.f = 1\nf.x = 2\nfrom m import f\n"), "f")
