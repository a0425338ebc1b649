"""Film reviews made from a small grammar: two impressions that contradict each other, and the last
one counts.

Which words occur does not give the answer away: the same two impressions in the other order
belong to another class.
"""

import torch
from torch import Tensor

IMPRESSIONS = {
    "dull": "slow flat tedious empty",
    "funny": "witty silly comic hilarious",
    "sad": "bleak tragic gloomy tearful",
    "scary": "eerie creepy tense grim",
    "moving": "tender warm touching gentle",
}
KINDS = list(IMPRESSIONS)
ADJECTIVES = {kind: words.split() for kind, words in IMPRESSIONS.items()}
THINGS = ["plot", "acting", "music", "ending", "camera", "dialogue"]
REMARKS = [
    remark.split()
    for remark in (
        "we went on monday",
        "my friend came too",
        "popcorn helped",
        "then it rained",
        "so much for that",
    )
]


def reviews(
    generator: torch.Generator, count: int, kinds: int = len(KINDS)
) -> tuple[list[list[str]], Tensor]:
    """-> `count` reviews as lists of 8 to 23 words, and their labels (N,): the kind of impression
    that was named last."""
    made = [review(generator, kinds) for _ in range(count)]
    return [words for words, _, _ in made], torch.tensor([last for _, _, last in made])


def review(generator: torch.Generator, kinds: int) -> tuple[list[str], int, int]:
    """-> the words of one review, the kind of its first impression and the kind of its last."""

    def pick(items: list[str]) -> str:
        return items[int(torch.randint(len(items), (), generator=generator))]

    first, last = torch.randperm(kinds, generator=generator)[:2].tolist()
    parts = [["the", pick(THINGS), "was", pick(ADJECTIVES[KINDS[kind]])] for kind in (first, last)]
    for remark in torch.randperm(len(REMARKS), generator=generator)[
        : int(torch.randint(len(REMARKS), (), generator=generator))
    ]:
        parts.insert(int(torch.randint(len(parts) + 1, (), generator=generator)), REMARKS[remark])
    return [word for part in parts for word in part], first, last
