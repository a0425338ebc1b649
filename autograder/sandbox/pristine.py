"""What the interpreter was like before any student's code ran, to be put back before a test cell.

An assert that runs in the student's own process can always be forged, by whoever changes this very
module too. The well-known ways (another `all`, a patched `numpy.testing`, a hook of IPython that
drops asserts) are undone here and reported, so that a person looks at it.
"""

import builtins
import sys
import threading
from types import FunctionType
from typing import Any

WATCHED = (  # modules whose contents decide whether an assert fails
    *("math", "cmath", "operator", "functools", "itertools", "inspect", "hashlib", "ast"),
    *("fractions", "decimal", "statistics", "re", "unittest", "unittest.case"),
    *("numpy", "numpy.testing", "numpy.testing._private.utils", "numpy.linalg"),
    *("numpy._core.numeric", "numpy._core.fromnumeric", "numpy.core.numeric"),
    *("pandas", "pandas.testing", "pandas._testing.asserters", "pandas._testing"),
    *("scipy", "scipy.spatial.distance", "torch", "torch.testing", "torch.testing._comparison"),
    *("autograder.sandbox.agent", "autograder.sandbox.shell", "autograder.sandbox.wire"),
    *("IPython.core.compilerop", "IPython.core.async_helpers"),
)
CLASSES = {  # and classes, by the module that has them
    "unittest.case": ("TestCase",),
    "pandas": ("DataFrame", "Series", "Index"),
    "torch": ("Tensor",),
    "autograder.sandbox.agent": ("Agent",),
}
FRIENDS = ("IPython", "matplotlib_inline", "ipykernel", "matplotlib")  # may register events


class Pristine:
    """A picture of the interpreter, and the way back to it."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.builtins = dict(vars(builtins))
        self.names = dict(shell.user_ns)  # IPython has its own `open` there
        self.modules = {name: sys.modules[name] for name in WATCHED if name in sys.modules}
        self.contents = {name: dict(vars(module)) for name, module in self.modules.items()}
        self.functions = _functions(self.contents.values())
        self.classes = [(cls, dict(vars(cls))) for cls in self._classes()]
        self.displayhook, self.excepthook = sys.displayhook, sys.excepthook
        manager = shell.input_transformer_manager
        self.lists: list[tuple[str, Any, str, list[Any]]] = [
            (name, owner, name, list(getattr(owner, name)))
            for owner, names in (
                (shell, ("ast_transformers",)),
                (manager, ("cleanup_transforms", "line_transforms", "token_transformers")),
            )
            for name in names
        ]
        self.parts = {
            name: getattr(shell, name)
            for name in ("compile", "displayhook", "display_pub", "input_transformer_manager")
        }
        self.events = shell.events

    def _classes(self) -> list[type]:
        found = [
            getattr(self.modules[module], name)
            for module, names in CLASSES.items()
            for name in names
            if module in self.modules
        ]
        shell = self.shell
        parts = (shell, shell.compile, shell.displayhook, shell.input_transformer_manager)
        for part in (*parts, shell.events):
            found += [cls for cls in type(part).__mro__ if cls.__module__ not in ("builtins",)][:4]
        return list(dict.fromkeys(found))

    def restore(self) -> list[str]:
        """Put back what was changed, and say what it was."""
        changed = _put_back(vars(builtins), self.builtins, "builtins")
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
                changed.append(name)
            changed += _put_back(vars(module), self.contents[name], name)
        for name, function, code, defaults, keywords in self.functions:
            if function.__code__ is not code:
                function.__code__ = code
                changed.append(name)
            if function.__defaults__ is not defaults or function.__kwdefaults__ is not keywords:
                function.__defaults__, function.__kwdefaults__ = defaults, keywords
                changed.append(name)
        for cls, contents in self.classes:
            changed += _put_back_class(cls, contents)
        return changed + self._restore_hooks() + self._restore_shell()

    def _restore_hooks(self) -> list[str]:
        changed = []
        if sys.gettrace() is not None or sys.getprofile() is not None:
            sys.settrace(None)
            sys.setprofile(None)
            changed.append("sys.settrace")
        threading.settrace(None)
        for name in ("displayhook", "excepthook"):
            if getattr(sys, name) is not getattr(self, name):
                setattr(sys, name, getattr(self, name))
                changed.append(f"sys.{name}")
        return changed

    def _restore_shell(self) -> list[str]:
        return self._restore_parts() + self._restore_events()

    def _restore_parts(self) -> list[str]:
        shell, changed = self.shell, []
        for name, part in self.parts.items():
            if getattr(shell, name) is not part:
                setattr(shell, name, part)
                changed.append(f"IPython's {name}")
        for name, owner, attribute, contents in self.lists:
            if list(getattr(owner, attribute)) != contents:
                setattr(owner, attribute, list(contents))
                changed.append(f"IPython's {name}")
        for part in (shell, *self.parts.values()):
            for name in [each for each in vars(part) if _shadows(part, each)]:
                del vars(part)[name]
                changed.append(f"IPython's {name}")
        return changed

    def _restore_events(self) -> list[str]:
        shell, changed = self.shell, []
        if shell.custom_exceptions:
            shell.custom_exceptions = ()
            changed.append("IPython's custom_exceptions")
        for event, callbacks in shell.events.callbacks.items():
            for callback in list(callbacks):
                owner = getattr(callback, "__module__", None) or ""
                if owner.split(".")[0] not in FRIENDS:
                    callbacks.remove(callback)
                    changed.append(f"IPython's event {event}")
        if shell.user_ns.get("__builtins__", builtins) not in (builtins, vars(builtins)):
            shell.user_ns["__builtins__"] = builtins
            changed.append("__builtins__")
        return changed

    def rebind(self, imports: list[list[str]]) -> list[str]:
        """Names that the course imports, and that its test uses, mean what was imported."""
        changed, names = [], self.shell.user_ns
        for name, module, attribute in imports:
            if name not in names or module not in self.modules:
                continue
            there = self.modules[module]
            if attribute and attribute not in self.contents[module]:
                continue
            meant = self.contents[module][attribute] if attribute else there
            if names[name] is not meant:
                names[name] = meant
                changed.append(name)
        return changed

    def unshadow(self, wanted: list[str]) -> dict[str, Any]:
        """Functions of the student's that stand before builtins which a test uses, taken away."""
        names = self.shell.user_ns
        return {
            name: names.pop(name)
            for name in wanted
            if name in self.builtins and callable(names.get(name))
            if names[name] is not self.builtins[name]
            if names[name] is not self.names.get(name)
        }


def _shadows(part: Any, name: str) -> bool:
    """Does an object have its own version of a method of its class?"""
    own = getattr(type(part), name, None)
    return callable(own) and callable(vars(part)[name]) and not isinstance(own, type)


def _plain(name: str) -> bool:
    return not name.startswith("__") or name in ("__import__", "__build_class__")


def _put_back(live: dict[str, Any], saved: dict[str, Any], where: str) -> list[str]:
    """In a module's contents; what was added to it stays. Nothing here calls a builtin, since that
    may be what was changed."""
    changed = []
    for name in saved:
        if name == "_" or (name[:2] == "__" and name not in ("__import__", "__build_class__")):
            continue
        if name not in live or live[name] is not saved[name]:
            live[name] = saved[name]
            changed.append(where + "." + name)
    return changed


def _put_back_class(cls: type, contents: dict[str, Any]) -> list[str]:
    changed = []
    for name, value in contents.items():
        if name in ("__dict__", "__weakref__", "__doc__", "__abstractmethods__", "_abc_impl"):
            continue
        if vars(cls).get(name) is not value:
            try:
                setattr(cls, name, value)
            except (AttributeError, TypeError):
                continue
            changed.append(f"{cls.__name__}.{name}")
    for name in [each for each in vars(cls) if each not in contents]:
        if any(name in vars(base) for base in cls.__mro__[1:]):  # it hides what was inherited
            delattr(cls, name)
            changed.append(f"{cls.__name__}.{name}")
    return changed


def _functions(contents: Any) -> list[tuple[str, FunctionType, Any, Any, Any]]:
    """Functions written in Python, whose code can be replaced in place."""
    found = {}
    for names in contents:
        for name, value in names.items():
            if type(value) is FunctionType and _plain(name):
                found[id(value)] = (
                    f"{value.__module__}.{name}",
                    value,
                    value.__code__,
                    value.__defaults__,
                    value.__kwdefaults__,
                )
    return list(found.values())
