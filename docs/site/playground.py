"""The figures of the playground: two sliders out of the lectures, two drawn here; all work without a kernel."""

import json
from pathlib import Path

import torch

from autograder.errors import UserError
from course_utils.masking import causal_mask, masked_softmax, padding_mask
from course_utils.nadaraya_watson import softmax
from course_utils.plotting import bars, heatmap, interactive
from course_utils.training import seeded

WORDS = ["the", "cat", "sat", "on", "the", "mat", "<pad>", "<pad>"]


def temperature() -> str:
    """Bars over six words that even out as the temperature rises."""
    scores = torch.tensor([2.0, 1.4, 0.9, 0.1, -0.6, -1.5])  # (6,)
    words = ["mat", "sofa", "floor", "roof", "moon", "tax"]

    def draw(value: float) -> None:
        axes = bars(dict(zip(words, softmax(scores / value).tolist(), strict=True)), ylabel="weight", title="softmax(scores / temperature)")
        axes.set_ylim(0, 1.08)

    values = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0]
    return interactive(draw, "temperature", values, start=1.0, alt="Bars: how likely each of six words is to come next")._repr_html_()


def mask() -> str:
    """The same scores behind four masks."""
    scores = 1.2 * torch.randn(8, 8, generator=seeded(5))  # (8, 8)
    real = padding_mask(torch.tensor([6]), 8)  # (1, 8)
    masks = {
        "none": torch.ones(8, 8, dtype=torch.bool),
        "padding": real.expand(8, 8),
        "causal": causal_mask(8),
        "padding and causal": real & causal_mask(8),
    }

    def draw(name: str) -> None:
        heatmap(masked_softmax(scores, masks[name]), WORDS, WORDS, title=f"mask: {name}", vmax=1.0)

    return interactive(draw, "mask", list(masks), start="causal", alt="Attention of eight words to each other as a heat map")._repr_html_()


def from_lecture(lecture: Path, name: str) -> str:
    """The slider over `name` among the outputs of a lecture."""
    for cell in json.loads(lecture.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", []))
            if html.startswith("<div class='course-slider'") and f"<label>{name} " in html:
                return html
    raise UserError(f"{lecture.name} has no slider over {name!r}, which the playground shows")


def figures(lectures: Path) -> dict[str, str]:
    """What playground.md may show, as HTML."""
    return {
        "bandwidth": from_lecture(lectures / "01_nadaraya_watson.ipynb", "bandwidth"),
        "temperature": temperature(),
        "mask": mask(),
        "heads": from_lecture(lectures / "05_multi_head_attention.ipynb", "heads"),
    }
