"""Trains the models that the website runs, with the course's own code: `python -m tools.models
[NAME ...]`, `make models`.

Every training is seeded. A model is stored in live/models/NAME.js as half-precision numbers in
base64, with the vocabulary, the accuracy that these rounded numbers reach, and the number of
parameters; live/weights.js and `read` below unpack it again.
"""

import base64
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_utils.data import scenes
from course_utils.data.images import digits
from course_utils.data.letters import Vocabulary, sentences
from course_utils.image_captioning import TransformerCaptioner, describe, train_captioner
from course_utils.seq2seq_attention import shift_right
from course_utils.training import fit, seeded
from course_utils.transformer_decoder import Transformer, smoothed_loss
from course_utils.vision_transformer import VisionTransformer, accuracy, train

FOLDER = Path(__file__).resolve().parents[1] / "live" / "models"
OPENING = "(globalThis.liveModels ??= {})."
Trained = tuple[nn.Module, dict[str, Any]]  # a model, and what the website must know about it
Pairs = list[tuple[str, str]]


# The translator -----------------------------------------------------------------------------------


def split_sentences() -> tuple[Pairs, Pairs]:
    """The sentences to learn from, and the 200 ambiguous ones that lecture 08 holds out."""
    pairs = sentences()
    unclear = [i for i, (text, _) in enumerate(pairs) if "writing" in text or "reading" in text]
    chosen = torch.randperm(len(unclear), generator=seeded(0))[:200].tolist()
    held_out = [pairs[unclear[i]] for i in chosen]
    return [pair for pair in pairs if pair not in set(held_out)], held_out


def vocabularies() -> tuple[Vocabulary, Vocabulary]:
    pairs = sentences()
    return Vocabulary(english for english, _ in pairs), Vocabulary(spanish for _, spanish in pairs)


def new_translator() -> Transformer:
    """Half as wide as the one in lecture 08, so that it is a quarter as heavy."""
    english, spanish = vocabularies()
    return Transformer(len(english), len(spanish), dim=32, heads=4, hidden=64, depth=2)


@torch.no_grad()
def translate(model: Transformer, texts: list[str], longest: int = 12) -> list[str]:
    """The likeliest word again and again, for all texts at once."""
    english, spanish = vocabularies()
    memory, mask = model.encode(english.encode(texts))  # (B, S, D), (B, 1, 1, S)
    written = torch.full((len(texts), 1), spanish.bos)  # (B, 1)
    for _ in range(longest):
        logits = model.decode(written, memory, mask)[:, -1]  # (B, V)
        written = torch.cat([written, logits.argmax(-1, keepdim=True)], dim=1)  # (B, t + 1)
    return [spanish.decode(line) for line in written]


def translation_accuracy(model: Transformer) -> float:
    """The share of held-out sentences that are translated without any mistake."""
    _, held_out = split_sentences()
    found = translate(model, [english for english, _ in held_out])
    return sum(a == b for a, (_, b) in zip(found, held_out, strict=True)) / len(held_out)


def translator() -> Trained:
    """Trained as in lecture 08: label smoothing of 0.1, 64 sentences to a step."""
    english, spanish = vocabularies()
    training, _ = split_sentences()
    source = english.encode([text for text, _ in training])  # (N, S)
    target = spanish.encode([text for _, text in training], end=True)  # (N, T)
    torch.manual_seed(0)
    model = new_translator()
    count = 400
    batches = torch.randint(len(source), (count, 64), generator=seeded(2))  # (steps, B)

    def loss(step: int) -> Tensor:
        x, y = source[batches[step]], target[batches[step]]  # (B, S), (B, T)
        return smoothed_loss(model(x, shift_right(y, spanish.bos)), y, spanish.pad, 0.1)

    fit(loss, model.parameters(), count, lr=6e-3, clip=1.0, decay=True)
    round_to_half(model)
    return model, {
        "heads": 4,
        "normFirst": False,
        "pad": english.pad,
        "bos": spanish.bos,
        "eos": spanish.eos,
        "sourceLength": source.shape[1],
        "english": english.words,
        "spanish": spanish.words,
        "accuracy": translation_accuracy(model),
        "measured": "of 200 held-out sentences translated without a mistake",
    }


# The digits ---------------------------------------------------------------------------------------


def new_reader() -> VisionTransformer:
    """The model of lecture 09."""
    return VisionTransformer(8, 1, patch=2, dim=48, heads=4, hidden=96, depth=3, classes=10)


def shifted(images: Tensor) -> Tensor:
    """(N, 1, 8, 8) -> (4 N, 1, 8, 8): moved by one pixel to each side, since nobody draws in the
    same place.
    """
    padded = nn.functional.pad(images, (1, 1, 1, 1))  # (N, 1, 10, 10)
    corners = ((0, 1), (2, 1), (1, 0), (1, 2))
    return torch.cat([padded[:, :, y : y + 8, x : x + 8] for y, x in corners])


def reader() -> Trained:
    """Trained as in lecture 09, on the digits and on copies of them that are moved by a pixel."""
    images, labels, test_images, test_labels = digits()
    torch.manual_seed(0)
    model = new_reader()
    train(model, torch.cat([images, shifted(images)]), labels.repeat(5), 1200, batch=32)
    round_to_half(model)
    return model, {
        "heads": 4,
        "normFirst": True,
        "accuracy": accuracy(model, test_images, test_labels),
        "measured": "of 450 test digits read rightly",
        "examples": [round(16 * v) for v in examples(test_images, test_labels).flatten().tolist()],
    }


def examples(images: Tensor, labels: Tensor) -> Tensor:
    """The first test image of every digit (10, 64), to begin with."""
    return torch.stack([images[labels == digit][0].flatten() for digit in range(10)])


# The captioner ------------------------------------------------------------------------------------


def new_captioner() -> TransformerCaptioner:
    """Half as wide as the Transformer in lecture 10."""
    return TransformerCaptioner(len(scenes.VOCABULARY), scenes.LENGTH, dim=32)


def caption_accuracy(model: nn.Module) -> float:
    """The share of 500 fresh scenes whose caption is right in every word."""
    pictures, captions = scenes.scenes(500, seeded(1))
    return float((describe(model, pictures, scenes.LENGTH) == captions).all(1).float().mean())


def captioner() -> Trained:
    """Trained as in lecture 10."""
    pictures, captions = scenes.scenes(3000, seeded(0))
    torch.manual_seed(0)
    model = new_captioner()
    train_captioner(model, pictures, captions, 400)
    round_to_half(model)
    return model, {
        "heads": 4,
        "normFirst": False,
        "bos": scenes.BOS,
        "eos": scenes.EOS,
        "longest": scenes.LENGTH - 1,
        "words": list(scenes.VOCABULARY),
        "accuracy": caption_accuracy(model),
        "measured": "of 500 fresh scenes described without a mistake",
    }


# Files --------------------------------------------------------------------------------------------

MODELS: dict[str, tuple[Callable[[], Trained], Callable[[], nn.Module]]] = {
    "translator": (translator, new_translator),
    "reader": (reader, new_reader),
    "captioner": (captioner, new_captioner),
}


def round_to_half(model: nn.Module) -> None:
    """Keep of every weight what a half-precision number can hold."""
    model.load_state_dict({name: w.half().float() for name, w in model.state_dict().items()})


def write(name: str, model: nn.Module, about: dict[str, Any]) -> Path:
    """A classic script, because a browser loads no module from disk."""
    state = model.state_dict()
    numbers = np.concatenate([w.flatten().numpy() for w in state.values()])
    file = {
        "about": about | {"parameters": len(numbers)},
        "shapes": {part: list(w.shape) for part, w in state.items()},
        "weights": base64.b64encode(numbers.astype("<f2").tobytes()).decode(),
    }
    path = FOLDER / f"{name}.js"
    path.write_text(f"{OPENING}{name} = {json.dumps(file, ensure_ascii=False)};\n", "utf-8")
    return path


def read(name: str) -> tuple[nn.Module, dict[str, Any]]:
    """The model in live/models/NAME.js as one of torch, and what the file says about it."""
    text = (FOLDER / f"{name}.js").read_text("utf-8")
    file = json.loads(text.removeprefix(f"{OPENING}{name} = ").rstrip().removesuffix(";"))
    numbers = np.frombuffer(base64.b64decode(file["weights"]), "<f2").astype("f4")
    model, at, state = MODELS[name][1](), 0, {}
    for part, shape in file["shapes"].items():
        size = int(np.prod(shape))
        state[part] = torch.from_numpy(numbers[at : at + size].reshape(shape).copy())
        at += size
    model.load_state_dict(state)
    return model.eval(), file["about"]


def main(names: list[str]) -> None:
    torch.set_num_threads(1)  # sums in another order would be other weights
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or list(MODELS):
        began = time.perf_counter()
        model, about = MODELS[name][0]()
        path = write(name, model, about)
        seconds, size = time.perf_counter() - began, path.stat().st_size / 1000
        print(
            f"{name}: {about['accuracy']:.3f} {about['measured']}; {size:.0f} kB, {seconds:.0f} s"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
