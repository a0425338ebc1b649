"""Does to a notebook what Colab does to it: ids, metadata, outputs, the format, the name of the
file."""

import copy
import json
import random
import string
from typing import Any

Notebook = dict[str, Any]
PERSON = {
    "displayName": "Zoë Example",
    "userId": "01234567890123456789",
}  # Colab writes the student's name into Drive copies
BADGE = (
    '<a href="https://colab.research.google.com/github/o/r/blob/main/x.ipynb" '
    'target="_parent"><img src="badge.svg"/></a>'
)


def opened(notebook: Notebook, rng: random.Random) -> Notebook:
    """Opened and saved: the id and the metadata's id are one; a notebook before 4.5 becomes 4.0,
    with ids in the metadata only."""
    made = copy.deepcopy(notebook)
    old = (made["nbformat"], made["nbformat_minor"]) < (4, 5)
    made["nbformat_minor"] = 0 if old else made["nbformat_minor"]
    for cell in made["cells"]:
        ident = (
            cell.get("id")
            or cell["metadata"].get("id")
            or "".join(rng.choices(string.ascii_letters + string.digits + "_-", k=12))
        )
        cell["metadata"]["id"] = ident
        if old:
            cell.pop("id", None)
        else:
            cell["id"] = ident
    made["metadata"] = {
        "colab": {"provenance": [], "name": "X.ipynb"},
        "accelerator": "GPU",
        **made["metadata"],
    }
    return made


def executed(notebook: Notebook, drive: bool = False, widgets: bool = False) -> Notebook:
    """Run: sizes of outputs, in a Drive copy the student's name, a mime type of Colab's own, widget
    state without its wrapper."""
    made = copy.deepcopy(notebook)
    for number, cell in enumerate(c for c in made["cells"] if c["cell_type"] == "code"):
        cell["metadata"] |= {
            "colab": {"base_uri": "https://localhost:8080/", "height": 34},
            "outputId": f"out{number}",
        }
        if drive:
            cell["metadata"]["executionInfo"] = {
                "status": "ok",
                "timestamp": 1,
                "user_tz": -60,
                "elapsed": 7,
                "user": PERSON,
            }
        data = {
            "text/plain": ["'x'"],
            "application/vnd.google.colaboratory.intrinsic+json": {"type": "string"},
        }
        cell["outputs"] = [
            {
                "output_type": "execute_result",
                "execution_count": number + 1,
                "data": data,
                "metadata": {},
            }
        ]
        cell["execution_count"] = number + 1
    if widgets:
        made["metadata"]["widgets"] = {
            "application/vnd.jupyter.widget-state+json": {"ab12": {"model_name": "SliderModel"}}
        }
    return made


def saved_to_github(notebook: Notebook) -> Notebook:
    """A badge cell in front, which has its id in the metadata only."""
    made = copy.deepcopy(notebook)
    meta = {"id": "view-in-github", "colab_type": "text"}
    made["cells"].insert(0, {"cell_type": "markdown", "metadata": meta, "source": [BADGE]})
    return made


def written(notebook: Notebook, minified: bool = False) -> bytes:
    """The file: one line from Drive, indented otherwise."""
    return json.dumps(notebook, ensure_ascii=not minified, indent=None if minified else 1).encode()
