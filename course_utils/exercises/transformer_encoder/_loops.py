"""Looks at the code of a training: what its loop does, and what it forgets."""

import ast
import builtins

from course_utils.judging import syntax


def returns(tree: ast.AST, name: str) -> bool:
    """Does the function of this name return something anywhere?"""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return not functions or any(
        isinstance(node, ast.Return) and node.value is not None for node in ast.walk(functions[0])
    )


def trains(tree: ast.AST) -> bool:
    """Does it compute gradients and use them?"""
    return syntax.uses(tree, "backward", "grad") and syntax.uses(
        tree, "step", "add_", "sub_", "data", "copy_"
    )


def hands_over(tree: ast.AST, name: str) -> bool:
    """Does the function of this name call one that is defined elsewhere, which may train?"""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id[0].islower()
        and call.func.id not in {*defined, *dir(builtins)}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == name
        for call in ast.walk(node)
    )


def clears(tree: ast.AST) -> bool:
    """Are gradients cleared: by zero_grad, by `grad = None`, or by never keeping them?"""
    unset = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return syntax.uses(tree, "zero_grad", "zero_") or any(
        getattr(t, "attr", "") == "grad" for node in unset for t in node.targets
    )


def reads(tree: ast.AST, name: str) -> bool:
    """Is this variable used anywhere?"""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(tree)
    )


def keeps_padding(tree: ast.AST) -> bool:
    """Is `tokens == pad` used, never negated, with the course's masks (True = may attend)?"""
    compared = [n.ops[0] for n in ast.walk(tree) if isinstance(n, ast.Compare)]
    negated = any(
        isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Invert) for n in ast.walk(tree)
    )
    return (
        any(isinstance(op, ast.Eq) for op in compared)
        and not any(isinstance(op, ast.NotEq) for op in compared)
        and not negated
        and not syntax.uses(tree, "TransformerEncoder", "TransformerEncoderLayer", "logical_not")
        and (bool(syntax.calls(tree, "Encoder")) or bool(syntax.calls(tree, "masked_mean")))
    )
