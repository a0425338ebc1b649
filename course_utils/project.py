"""The four topics of the project: data that needs no download, a baseline, a small model to start
from, and a score.

Every topic has five sets of (inputs, targets): `train`; `validation` and `test`, which are like
it; `hard_validation` and `hard_test`, which ask for something that no training example shows.
Decisions are made on the validation sets; the test sets are for the end.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.data import scenes
from course_utils.data.images import digits, show
from course_utils.data.letters import (
    ADJECTIVES,
    MAIL,
    MAIL_VERBS,
    SPELLING,
    SPELLING_VERBS,
    SUBJECTS,
    Vocabulary,
    sentences,
)
from course_utils.data.sequences import read_rows, spell
from course_utils.image_captioning import TransformerCaptioner, describe
from course_utils.plotting import Table
from course_utils.seq2seq_attention import PAD, Luong, exact_match, sequence_loss, shift_right
from course_utils.training import seeded
from course_utils.transformer_decoder import DecoderOnly
from course_utils.vision_transformer import VisionTransformer

Pair = tuple[Tensor, Tensor]  # inputs (N, ...), targets (N, ...)
FIRST, SECOND, REST = slice(300), slice(300, 600), slice(600, None)


def rows(pair: Pair, index: Tensor) -> Pair:
    """The examples of these numbers."""
    return pair[0][index], pair[1][index]


class Topic:
    """What all topics share; the baseline is the answer of the nearest training example."""

    question: str
    measure: str  # what `score` gives; higher is better
    baseline = "nearest neighbour"
    steps, rate = 300, 3e-3  # of the training that the starter begins with
    train: Pair
    validation: Pair
    hard_validation: Pair
    test: Pair
    hard_test: Pair

    def model(self) -> nn.Module:
        """A fresh model, small enough for a CPU."""
        raise NotImplementedError

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        """-> scalar: what training makes small."""
        raise NotImplementedError

    def predict(self, model: Any, inputs: Tensor) -> Tensor:
        """-> what `score` compares with the targets."""
        raise NotImplementedError

    def score(self, predictions: Tensor, targets: Tensor) -> float:
        """-> how good the predictions are, from 0 to 1."""
        raise NotImplementedError

    def features(self, inputs: Tensor) -> Tensor:
        """(N, ...) -> (N, F): in which space the baseline looks for its neighbour."""
        return inputs.flatten(1)

    def reads(self, row: Tensor) -> str:
        """One input in words."""
        return "(picture)"

    def says(self, row: Tensor) -> str:
        """One target or prediction in words."""
        raise NotImplementedError

    def correct(self, predictions: Tensor, targets: Tensor) -> Tensor:
        """-> (N,) bool: which predictions say what the targets say."""
        pairs = zip(predictions, targets, strict=True)
        return torch.tensor([self.says(said) == self.says(right) for said, right in pairs])

    def answer(self, prediction: Tensor, target: Tensor) -> str:
        """One prediction in words, at the place where the target asks."""
        return self.says(prediction)

    def guess(self, inputs: Tensor) -> Tensor:
        """The baseline's predictions: Nadaraya-Watson (unit 01) with a bandwidth near 0."""
        # (N, number of training examples)
        distances = torch.cdist(self.features(inputs), self.features(self.train[0]))
        return self.train[1][distances.argmin(1)]


class Digits(Topic):
    """A Vision Transformer (unit 09) reads digits of 8 x 8 pixels; in the hard sets they have moved
    by one pixel."""

    question = (
        "A digit that moves by one pixel is the same digit. For which models, and what makes it so?"
    )
    measure = "accuracy"
    steps = 400

    def __init__(self) -> None:
        images, labels, *test = digits()  # (N, 1, 8, 8), (N,) each
        self.train, self.validation = (images[250:], labels[250:]), (images[:250], labels[:250])
        self.test = test[0], test[1]
        self.hard_validation = moved(self.validation[0], seeded(1)), self.validation[1]
        self.hard_test = moved(self.test[0], seeded(0)), self.test[1]

    def model(self) -> nn.Module:
        return VisionTransformer(
            image_size=8, channels=1, patch=2, dim=32, heads=4, hidden=64, depth=2, classes=10
        )

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        return F.cross_entropy(model(inputs), targets)

    @torch.no_grad()
    def predict(self, model: Any, inputs: Tensor) -> Tensor:
        labels: Tensor = model(inputs).argmax(-1)  # (N,)
        return labels

    def score(self, predictions: Tensor, targets: Tensor) -> float:
        return float((predictions == targets).float().mean())

    def says(self, row: Tensor) -> str:
        return str(int(row))


def moved(images: Tensor, generator: torch.Generator) -> Tensor:
    """(N, C, H, W) -> (N, C, H, W): every image moved by one pixel to one of its eight neighbours,
    black where nothing was."""
    # (8, 2): corners of the cut
    steps = torch.tensor([(y, x) for y in range(3) for x in range(3) if (y, x) != (1, 1)])
    chosen = steps[torch.randint(8, (len(images),), generator=generator)]  # (N, 2)
    wide, (height, width) = F.pad(images, (1, 1, 1, 1)), images.shape[2:]  # (N, C, H + 2, W + 2)
    return torch.stack(
        [
            image[:, y : y + height, x : x + width]
            for image, (y, x) in zip(wide, chosen.tolist(), strict=True)
        ]
    )


class Dates(Topic):
    """An RNN with attention (unit 04) turns dates of five languages into ISO dates; the hard ones
    are Hungarian, which it has never read."""

    question = (
        "What carries over to a language that the model has never read, and what would it need "
        "for the rest?"
    )
    measure = "exact match"
    steps, rate = 400, 8e-3
    unseen = "Hungarian"
    few: Pair  # Hungarian dates that no other set has, to be added to the training

    def __init__(self) -> None:
        # ISO date, language, text; "12 november 1984" is in two of them
        lines = list({line[2]: line for line in read_rows("dates")}.values())
        texts, isos = [spell(text) for _, _, text in lines], [spell(iso) for iso, _, _ in lines]
        self.letters, self.digits = Vocabulary(texts), Vocabulary(isos)
        pairs = self.letters.encode(texts), self.digits.encode(isos)  # (N, S), (N, 10)
        new = torch.tensor([language == self.unseen for _, language, _ in lines])  # (N,)
        known, unknown = (~new).nonzero()[:, 0], new.nonzero()[:, 0]
        self.validation, self.test, self.train = (
            rows(pairs, known[part]) for part in (FIRST, SECOND, REST)
        )
        self.hard_validation, self.hard_test, self.few = (
            rows(pairs, unknown[part]) for part in (FIRST, SECOND, REST)
        )

    def model(self) -> nn.Module:
        return Luong(len(self.letters), len(self.digits), dim=48)

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        longest = int((inputs != PAD).sum(1).max())  # no more padding than this batch needs
        return sequence_loss(model(inputs[:, :longest], targets)[0], targets, PAD)

    def predict(self, model: Any, inputs: Tensor) -> Tensor:
        written: Tensor = model.generate(inputs, self.train[1].shape[1])[0]  # (N, 10)
        return written

    def score(self, predictions: Tensor, targets: Tensor) -> float:
        return float(exact_match(predictions, targets, PAD))

    def reads(self, row: Tensor) -> str:
        return self.letters.decode(row).replace(" ", "").replace("␣", " ")

    def says(self, row: Tensor) -> str:
        return self.digits.decode(row).replace(" ", "")

    def features(self, inputs: Tensor) -> Tensor:
        """(N, S) -> (N, V * V): how often each pair of neighbouring letters occurs."""
        size = len(self.letters)
        pairs = inputs[:, :-1] * size + inputs[:, 1:]  # (N, S - 1)
        return torch.zeros(len(inputs), size**2).scatter_add_(
            1, pairs, (inputs[:, 1:] != PAD).float()
        )


class Letters(Topic):
    """A language model (unit 08) writes about letters; the hard sentences have two adjectives, so
    that the verb is farther away than ever before."""

    question = (
        "Does the model know the ending by the verb, wherever the verb stands, or by counting "
        "words?"
    )
    measure = "probability of endings that fit"
    baseline = "pairs of words"

    def __init__(self) -> None:
        english = sorted({text.replace(" a old ", " an old ") for text, _ in sentences()})
        longer = [
            f"{subject} {verb} the {first} {second} letter {ending}"
            for subject in SUBJECTS
            for verbs, endings in ((MAIL_VERBS, MAIL), (SPELLING_VERBS, SPELLING))
            for verb in verbs
            for first in ADJECTIVES
            for second in ADJECTIVES
            for ending in endings
            if first and second and first != second
        ]
        self.vocabulary = Vocabulary(english)
        self.fitting = {verb: self._firsts(MAIL) for verb in MAIL_VERBS} | {
            verb: self._firsts(SPELLING) for verb in SPELLING_VERBS
        }
        known, unknown = self._pair(english), self._pair(longer)
        order = torch.randperm(len(english), generator=seeded(0))  # (N,)
        self.validation, self.test, self.train = (
            rows(known, order[part]) for part in (slice(200), slice(200, 400), slice(400, None))
        )
        order = torch.randperm(len(longer), generator=seeded(0))  # (N,)
        self.hard_validation, self.hard_test = (
            rows(unknown, order[:200]),
            rows(unknown, order[200:]),
        )

    def _firsts(self, endings: dict[str, str]) -> list[int]:
        return sorted({self.vocabulary.ids[ending.split()[0]] for ending in endings})

    def _pair(self, texts: list[str]) -> Pair:
        targets = self.vocabulary.encode(texts, end=True)  # (N, T)
        return shift_right(targets, self.vocabulary.bos), targets

    def model(self) -> nn.Module:
        return DecoderOnly(len(self.vocabulary), dim=32, heads=4, hidden=64, depth=2, max_len=16)

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        return sequence_loss(model(inputs), targets, PAD)

    @torch.no_grad()
    def predict(self, model: Any, inputs: Tensor) -> Tensor:
        probabilities: Tensor = model(inputs).softmax(-1)  # (N, T, V)
        return probabilities

    def guess(self, inputs: Tensor) -> Tensor:
        """(N, T) -> (N, T, V): how often each word followed this one in training, plus one."""
        counts = torch.ones(len(self.vocabulary), len(self.vocabulary))  # (V, V)
        before, after = (side[self.train[1] != PAD] for side in self.train)
        counts.index_put_((before, after), torch.tensor(1.0), accumulate=True)
        return (counts / counts.sum(1, keepdim=True))[inputs]

    def _after_the_noun(self, predictions: Tensor, targets: Tensor) -> Tensor:
        """(N, T, V), (N, T) -> (N, V): the probabilities of the word after *letter*."""
        place = (targets == self.vocabulary.ids["letter"]).int().argmax(1) + 1  # (N,)
        return predictions[torch.arange(len(targets)), place]

    def score(self, predictions: Tensor, targets: Tensor) -> float:
        """After *letter*, the probability of the words with which an ending that fits the verb
        begins (where the verb decides)."""
        following = self._after_the_noun(predictions, targets)  # (N, V)
        found = []
        for verb, fitting in self.fitting.items():
            rows = (targets == self.vocabulary.ids[verb]).any(1)  # (N,)
            found.append(following[rows][:, fitting].sum(1))
        return float(torch.cat(found).mean())

    def correct(self, predictions: Tensor, targets: Tensor) -> Tensor:
        """(N, T, V), (N, T) -> (N,) bool: do endings that fit the verb get more than half? True
        where the verb leaves it open."""
        following = self._after_the_noun(predictions, targets)  # (N, V)
        right = torch.ones(len(targets), dtype=torch.bool)  # (N,)
        for verb, fitting in self.fitting.items():
            rows = (targets == self.vocabulary.ids[verb]).any(1)  # (N,)
            right[rows] = following[rows][:, fitting].sum(1) > 0.5
        return right

    def answer(self, prediction: Tensor, target: Tensor) -> str:
        """(T, V), (T,) -> the three likeliest words after *letter*, with their probabilities."""
        following = self._after_the_noun(prediction[None], target[None])[0]  # (V,)
        shares, words = following.topk(3)  # (3,) each
        named = zip(words.tolist(), shares.tolist(), strict=True)
        return "… letter " + ", ".join(
            f"{self.vocabulary.words[word]} ({share:.2f})" for word, share in named
        )

    def reads(self, row: Tensor) -> str:
        return self.vocabulary.decode(row)

    def says(self, row: Tensor) -> str:
        """(T,) words, or (T, V) probabilities: then the likeliest word after each beginning of the
        sentence."""
        return self.vocabulary.decode(row if row.dim() == 1 else row.argmax(-1))


class Relations(Topic):
    """A Transformer (unit 10) says how two shapes lie; the hard pictures have red circles and blue
    crosses, whose colours and shapes it knows apart only."""

    question = "A model that knows red squares and blue circles: can it tell of a red circle?"
    measure = "words right"
    steps, rate = 300, 2e-3
    unseen = (("red", "circle"), ("blue", "cross"))

    def __init__(self) -> None:
        pairs = scenes.relations(4000, seeded(0))  # (4000, 3, 24, 24), (4000, 7)
        captions, new = pairs[1], torch.zeros(4000, dtype=torch.bool)
        for colour, shape in self.unseen:
            for place in (1, 4):  # of the first thing's colour, and of the second's
                new |= (captions[:, place] == scenes.IDS[colour]) & (
                    captions[:, place + 1] == scenes.IDS[shape]
                )
        known, unknown = (~new).nonzero()[:, 0], new.nonzero()[:, 0]
        self.validation, self.test, self.train = (
            rows(pairs, known[part]) for part in (FIRST, SECOND, REST)
        )
        self.hard_validation, self.hard_test = (
            rows(pairs, unknown[FIRST]),
            rows(pairs, unknown[SECOND]),
        )

    def model(self) -> nn.Module:
        return TransformerCaptioner(len(scenes.VOCABULARY), length=7, dim=48)

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        return sequence_loss(model(inputs, targets[:, :-1]), targets[:, 1:], PAD)

    def predict(self, model: Any, inputs: Tensor) -> Tensor:
        return describe(model, inputs, self.train[1].shape[1])  # (N, 7)

    def score(self, predictions: Tensor, targets: Tensor) -> float:
        """The share of words that are right, of the five between <bos> and <eos>: whole sentences
        of the hard sets are hardly ever right."""
        return float((predictions == targets)[:, 1:6].float().mean())

    def says(self, row: Tensor) -> str:
        return " ".join(scenes.words(row))


TOPICS = {"digits": Digits, "dates": Dates, "letters": Letters, "relations": Relations}


def look(topic: Topic, pair: Pair, said: Tensor | None = None, count: int = 6) -> Table:
    """The first few examples of (inputs, targets): pictures are drawn; inputs, targets and what was
    said come as a table."""
    inputs, targets = pair[0][:count], pair[1][:count]
    if inputs.dim() == 4 and len(inputs):
        show(inputs, columns=count)
    lines = [[topic.reads(i), topic.says(t)] for i, t in zip(inputs, targets, strict=True)]
    if said is None:
        return Table(lines, ["input", "right"])
    answers = [topic.answer(s, t) for s, t in zip(said[:count], targets, strict=True)]
    both = [[*line, answer] for line, answer in zip(lines, answers, strict=True)]
    return Table(both, ["input", "right", "said"])
