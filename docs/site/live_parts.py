"""The live parts of the site: where each stands, and the still picture that is there without
JavaScript.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import pictures
import torch
from torch import Tensor

from autograder.authoring import attempts
from course_utils import exercises
from course_utils.judging import card
from course_utils.judging.judge import Verdict
from course_utils.multi_head_attention import recorded_weights
from course_utils.seq2seq_attention import shift_right
from tools import models

BLUE = "#2c8fd0"
SENTENCE = "she is writing a long letter to my friend"


def figure(name: str, still: str, inside: str = "", **options: str) -> str:
    """A place for live/NAME_view.js, on one line, so that Markdown takes it as it is."""
    data = "".join(f' data-{key}="{escape(value)}"' for key, value in options.items())
    return one_line(
        f'<figure class="live" data-live="{name}"{data}>'
        f'<div class="live-still">{still}<noscript><p>With JavaScript this picture can be '
        f"played with.</p></noscript></div>{inside}</figure>"
    )


def lines(keys: Sequence[str], queries: Sequence[str], weights: Tensor, label: str) -> str:
    """Words on the left that are looked at, words on the right that look: as in live/draw.js."""
    line, height = 27, 27 * max(len(keys), len(queries))
    words = "".join(
        f'<text x="{x}" y="{line * i + 18}" text-anchor="{anchor}">{escape(word)}</text>'
        for x, anchor, column in ((150, "end", keys), (450, "start", queries))
        for i, word in enumerate(column)
    )
    curves = "".join(
        f'<path d="M160 {a} C 290 {a} 310 {b} 440 {b}" stroke-width="{0.6 + 5 * w:.1f}" '
        f'opacity="{min(1.0, 0.15 + w):.2f}"/>'
        for q in range(len(queries))
        for k in range(len(keys))
        if (w := float(weights[q, k])) > 0.02
        for a, b in [(line * (k + 0.5), line * (q + 0.5))]
    )
    return (
        f'<svg viewBox="0 0 600 {height}" role="img" aria-label="{escape(label)}" '
        f'font-size="15" fill="currentColor">{words}'
        f'<g fill="none" stroke="{BLUE}" stroke-linecap="round">{curves}</g></svg>'
    )


@torch.no_grad()
def translator_still() -> str:
    """The translation of one sentence, with the cross-attention of the last layer."""
    model, _ = models.read("translator")
    english, spanish = models.vocabularies()
    text = models.translate(model, [SENTENCE])[0]
    target = spanish.encode([text], end=True)  # (1, T)
    with recorded_weights(model) as recorded:
        model(english.encode([SENTENCE]), shift_right(target, spanish.bos))
    weights = recorded[-1][0].mean(0)  # (T, S)
    label = f"Lines from the words of “{SENTENCE}” to those of “{text}”"
    return f'<p>{SENTENCE}</p><p class="live-answer" lang="es">{text}</p>' + lines(
        SENTENCE.split(), [*text.split(), "⟨end⟩"], weights, label
    )


# Cards ---------------------------------------------------------------------------------------


def verdict(exercise: str, attempt: str) -> Verdict:
    """What a student would be told about a wrong attempt of the bank, on the cases that everybody
    sees.
    """
    known = attempts.attempts(exercises.unit_of(exercise))
    found = next(a for a in known if (a.exercise, a.name) == (exercise, attempt))
    return attempts.judge_source(exercises.find(exercise), found.source)


def one_line(html: str) -> str:
    """Markdown takes HTML as it is up to the first empty line."""
    return html.replace("\n", "&#10;")


def short_card() -> str:
    """A card without its list of cases, for the landing page."""
    full = verdict("scaled_dot_product_attention", "softmax_queries")
    return one_line(card.as_html(replace(full, counterexample=(), cases=())))


MISTAKES = {  # of the microscope -> exercise and file of the bank
    "scale": ("scaled_dot_product_attention", "no_scale"),
    "axis": ("scaled_dot_product_attention", "softmax_queries"),
    "fill": ("masked_softmax", "filled_with_zero"),
    "view": ("split_heads", "view"),
}


def cards() -> str:
    """For every mistake of the microscope the card that a student gets, kept until asked for."""
    return "".join(
        f'<template data-card="{name}">{card.as_html(verdict(*where))}</template>'
        for name, where in MISTAKES.items()
    )


# Pages ---------------------------------------------------------------------------------------


def pictogram(unit: str) -> str:
    """The picture of a unit, in the page itself."""
    label, svg = pictures.pictures()[unit]
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def parts() -> dict[str, str]:
    """Name -> HTML, for the pages of the site."""
    translator = translator_still()
    return {
        "translator": figure("translator", translator, size="small"),
        "translator_full": figure("translator", translator),
        "microscope": figure("microscope", pictogram("03_masking"), cards()),
        "bandwidth": figure("bandwidth", pictogram("01_nadaraya_watson")),
        "reader": figure("reader", pictogram("09_vision_transformer")),
        "captioner": figure("captioner", pictogram("10_image_captioning")),
        "card": short_card(),
    }


LECTURES = {  # what stands at the top of a lecture; elsewhere it is the picture of the unit
    "01_nadaraya_watson": "bandwidth",
    "08_transformer_decoder": "translator_full",
    "09_vision_transformer": "reader",
    "10_image_captioning": "captioner",
}


def top_of_lecture(unit: str, live: dict[str, str]) -> str:
    """What a reader of the site sees first."""
    if unit in LECTURES:
        return live[LECTURES[unit]]
    return one_line(f'<figure class="unit-picture">{pictogram(unit)}</figure>')
