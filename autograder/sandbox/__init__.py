"""Runs code that nobody has read, behind walls: see walls.py for what they are, attack.py for how
they are proven.
"""

from typing import Any


def doctor() -> dict[str, Any]:
    """Which level holds on this machine: {"level", "held": [promises], "missing": [what is not
    promised, and why]}.
    """
    from autograder.sandbox.attack import PROMISES
    from autograder.sandbox.proof import highest, reasons

    proof, tried = highest()
    level = proof.level if proof is not None else 0
    held = [text for name, text in PROMISES.items() if proof is not None and proof.held.get(name)]
    missing = [text for text in PROMISES.values() if text not in held] if level < 3 else []
    return {"level": level, "held": held, "missing": missing + reasons(tried)}


__all__ = ["doctor"]
