"""Looks at the code of a softmax."""

import ast

from course_utils.judging import syntax


def clamps_the_scores(tree: ast.AST) -> bool:
    """Are the scores cut off, before anything else is done with them?"""
    calls = [call for name in ("clamp", "clip", "clamp_") for call in syntax.calls(tree, name)]
    cut = [c.func.value for c in calls if isinstance(c.func, ast.Attribute)] + [
        c.args[0] for c in calls if c.args
    ]
    return any(isinstance(node, ast.Name) and node.id == "scores" for node in cut)


def takes_a_pair(tree: ast.AST) -> bool:
    """Is there a maximum along an axis, of which neither `.values` nor `[0]` is taken?"""
    parts = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Subscript)
    ]
    return any(
        (call.args or call.keywords) and call not in parts for call in syntax.calls(tree, "max")
    )
