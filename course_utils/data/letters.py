"""A small grammar of English sentences about letters, with their Spanish: *letter* is a carta that
is sent or a letra that is spelled."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

SUBJECTS = {
    "I am": "yo estoy",
    "you are": "tú estás",
    "she is": "ella está",
    "he is": "él está",
    "we are": "nosotros estamos",
}
VERBS = {"writing": "escribiendo", "reading": "leyendo"}  # of both kinds: the verb does not decide
MAIL_VERBS, SPELLING_VERBS = {"sending": "enviando"}, {"pronouncing": "pronunciando"}
ARTICLES = {"a": "una", "the": "la"}
# Before the noun, and after it
ADJECTIVES = {
    "": "",
    "long": "larga",
    "red": "roja",
    "old": "vieja",
    "short": "corta",
}
MAIL = {
    "to her": "para ella",
    "to my friend": "para mi amigo",
    "from the bank": "del banco",
    "in the envelope": "en el sobre",
}
SPELLING = {
    "of the alphabet": "del alfabeto",
    "of the word": "de la palabra",
    "on the keyboard": "en el teclado",
    "of my name": "de mi nombre",
}


def sentences() -> list[tuple[str, str]]:
    """Every (English, Spanish) pair of the grammar; the words after *letter* decide between carta
    and letra."""
    pairs = []
    for noun, verbs, endings in (
        ("carta", VERBS | MAIL_VERBS, MAIL),
        ("letra", VERBS | SPELLING_VERBS, SPELLING),
    ):
        for subject, sujeto in SUBJECTS.items():
            for verb, verbo in verbs.items():
                for article, artículo in ARTICLES.items():
                    for adjective, adjetivo in ADJECTIVES.items():
                        for ending, final in endings.items():
                            english = f"{subject} {verb} {article} {adjective} letter {ending}"
                            spanish = f"{sujeto} {verbo} {artículo} {noun} {adjetivo} {final}"
                            pairs.append((" ".join(english.split()), " ".join(spanish.split())))
    return pairs


class Vocabulary:
    """Words to numbers and back; 0, 1 and 2 are padding, begin and end."""

    pad, bos, eos = 0, 1, 2

    def __init__(self, texts: Iterable[str]) -> None:
        self.words = [
            "<pad>",
            "<bos>",
            "<eos>",
            *sorted({word for text in texts for word in text.split()}),
        ]
        self.ids = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, texts: Sequence[str], end: bool = False) -> Tensor:
        """N texts -> (N, T) ids, padded at the end to the longest; with `end`, <eos> closes every
        text."""
        rows = [[self.ids[word] for word in text.split()] + [self.eos] * end for text in texts]
        longest = max(map(len, rows))
        return torch.tensor([row + [self.pad] * (longest - len(row)) for row in rows])

    def decode(self, ids: Iterable[int]) -> str:
        """Ids -> the text up to <eos>, without padding."""
        words = []
        for number in map(int, ids):
            if number == self.eos:
                break
            if number not in (self.pad, self.bos):
                words.append(self.words[number])
        return " ".join(words)
