"""Joins the modules of live/ into one script: `python -m tools.bundle` writes that of the
notebooks.

A browser loads no module from a page on disk, so each module becomes a function that is called
once, in the order of their imports, and returns what it exports. Comments and indentation are left
out; names stay, so that the result can be read.
"""

import re
from pathlib import Path

LIVE = Path(__file__).resolve().parents[1] / "live"
NOTEBOOK = Path(__file__).resolve().parents[1] / "course_utils" / "data"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w/]+)\.js";\n', flags=re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) (\w+))", flags=re.M)


def modules(*entries: str, folder: Path = LIVE) -> list[str]:
    """Modules and all that they need, each after those that it needs itself."""
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"live/{name}.js imports itself, by way of {', '.join(path[1:])}")
        for _, needed in IMPORT.findall(text_of(name, folder)):
            visit(needed, (*path, name))
        if name not in order:
            order.append(name)

    for entry in entries:
        visit(entry, ())
    return order


def text_of(name: str, folder: Path) -> str:
    return (folder / f"{name}.js").read_text(encoding="utf-8")


def wrapped(name: str, text: str) -> str:
    """A module as `const $name = (() => { ... return { what it exports }; })();`."""
    exported = [match[1] for match in EXPORT.finditer(text)]
    imports = "".join(
        f"const {{{names.replace(' as ', ': ')}}} = ${needed};\n"
        for names, needed in IMPORT.findall(text)
    )
    body = EXPORT.sub("", IMPORT.sub("", text))
    if left := re.search(r"^(import|export)\b.*", body, flags=re.M):
        raise ValueError(f"live/{name}.js has a line that cannot be bundled: {left[0]}")
    body = re.sub(r"^\s*(//.*|/\*\*.*\*/)$|^\s*/\*\*\n(\s*\*.*\n)+", "", body, flags=re.M)
    return (
        f"const ${name} = (() => {{\n{imports}{body}return {{ {', '.join(exported)} }};\n}})();\n"
    )


def bundle(*entries: str, folder: Path = LIVE, ending: str = "") -> str:
    """The script; `globalThis.live` holds every module, for tests and for the curious."""
    names = modules(*entries, folder=folder)
    script = "".join(wrapped(name, text_of(name, folder)) for name in names)
    lines = (line.strip() for line in script.splitlines())
    held = f"globalThis.live = {{ {', '.join(f'{name}: ${name}' for name in names)} }};"
    return (
        "(() => {\n"
        + '"use strict";\n'
        + "".join(f"{line}\n" for line in lines if line)
        + f"{held}\n{ending}}})();\n"
    )


def parts(folder: Path = LIVE) -> list[str]:
    """What may live on a page: every NAME_view.js exports a function NAME."""
    return sorted(path.stem.removesuffix("_view") for path in folder.glob("*_view.js"))


def for_page(part: str) -> str:
    """The script of a page with one live part, which comes to life by itself."""
    mount = f"$page.mount({{ {part}: ${part}_view.{part} }});\n"
    return bundle(f"{part}_view", "page", ending=mount)


def for_notebooks() -> dict[Path, str]:
    """What course_utils/microscope.py puts into a cell: file -> what it holds."""
    return {
        NOTEBOOK / "microscope.js": bundle("notebook"),
        NOTEBOOK / "microscope.css": (LIVE / "live.css").read_text(encoding="utf-8"),
    }


if __name__ == "__main__":
    for path, text in for_notebooks().items():
        path.write_text(text, encoding="utf-8")
