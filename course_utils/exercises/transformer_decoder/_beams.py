"""Toy models for beam search: all sound ways to treat finished hypotheses agree on them."""

import math
from collections.abc import Callable

from course_utils.judging.exercise import Case, Draw
from course_utils.judging.toys import Toy

Hypothesis = tuple[float, list[int]]


def best(hypotheses: list[Hypothesis], count: int) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis[0])[:count]


class TableSearch:
    """The searches of this exercise on a table model in plain Python: drawing cases takes hundreds
    of them."""

    def __init__(self, toy: Toy, bos: int, eos: int, max_len: int) -> None:
        self.table = toy.weights["table"].tolist()
        self.history = toy.weights["history"].tolist()
        self.bos, self.eos, self.max_len = bos, eos, max_len
        self.known: dict[tuple[int, ...], list[float]] = {}

    def logs(self, tokens: list[int]) -> list[float]:
        """The log probabilities of the next token."""
        key = tuple(tokens)
        if key not in self.known:
            text = [self.bos, *tokens]
            said = [self.history[place][token] for place, token in enumerate(text)]
            logits = [
                sum(each) for each in zip(self.table[len(tokens)][text[-1]], *said, strict=True)
            ]
            top = max(logits)
            total = top + math.log(sum(math.exp(logit - top) for logit in logits))
            self.known[key] = [logit - total for logit in logits]
        return self.known[key]

    def longer(self, hypothesis: Hypothesis) -> list[Hypothesis]:
        score, tokens = hypothesis
        return [(score + log, [*tokens, token]) for token, log in enumerate(self.logs(tokens))]

    def compete(self, beams: int, normalised: bool = False) -> list[int]:
        """As in the text; `normalised` takes the best per token at the end."""
        kept: list[Hypothesis] = [(0.0, [])]
        for _ in range(self.max_len):
            kept = best(
                [h for old in kept for h in ([old] if self.eos in old[1] else self.longer(old))],
                beams,
            )
        return max(kept, key=lambda h: h[0] / len(h[1]))[1] if normalised else kept[0][1]

    def aside(self, beams: int, narrow: bool, enough: bool) -> list[int]:
        """With finished hypotheses set aside; `narrow`: each of them takes a place in the beam,
        `enough`: it ends as soon as `beams` are finished."""
        alive: list[Hypothesis] = [(0.0, [])]
        finished: list[Hypothesis] = []
        for _ in range(self.max_len):
            kept = best(
                [h for old in alive for h in self.longer(old)], beams - narrow * len(finished)
            )
            finished += [h for h in kept if h[1][-1] == self.eos]
            alive = [h for h in kept if h[1][-1] != self.eos]
            if (enough and len(finished) >= beams) or not alive:
                break
        return best(finished + alive, 1)[0][1]

    def agreed(self, beams: int) -> bool:
        """Do all sound searches find the same?"""
        ways = ((False, False), (True, False), (False, True))
        return all(self.aside(beams, *way) == self.compete(beams) for way in ways)


def sound(case: Case) -> bool:
    """Is there a token of its own for bos and eos, and one result that all sound searches find?"""
    toy, bos, eos, max_len, beams = case.args
    words, known = toy.weights["table"].shape[-1], toy.weights["table"].shape[0]
    if bos == eos or max(bos, eos) >= words or not 1 <= max_len <= known:
        return False
    return TableSearch(toy, bos, eos, max_len).agreed(beams)


Wanted = Callable[[TableSearch, list[int]], bool]  # (search, what it should find)


def beam_case(
    draw: Draw,
    label: str,
    sizes: tuple[int, int, int],
    wanted: Wanted = lambda search, found: True,
    group: str = "basic",
) -> Case:
    """A case for (words, max_len, beams): a table of the wanted kind, the first that is drawn."""
    words, max_len, beams = sizes
    for _ in range(400):
        bos, eos = (int(i) for i in draw.permutation(words)[:2])
        table = draw.normal(max_len, words, words, scale=1.6)
        table[-1, :, eos] += 2  # most sentences come to an end
        history = draw.normal(max_len, words, words, scale=0.6)
        toy = Toy("table_model", {"table": table, "history": history})
        search = TableSearch(toy, bos, eos, max_len)
        if search.agreed(beams) and wanted(search, search.compete(beams)):
            break
    return Case(label, args=(toy, bos, eos, max_len, beams), group=group)


def ended(search: TableSearch, found: list[int]) -> bool:
    return found[-1] == search.eos


def beats_greedy(search: TableSearch, found: list[int]) -> bool:
    """The path to the best sentence of all looks bad at first."""
    return (
        ended(search, found)
        and len(found) > 2
        and found != search.compete(1)
        and found == search.compete(10**6)
    )


def misses_the_best(search: TableSearch, found: list[int]) -> bool:
    return found != search.compete(1) and found != search.compete(10**6)


def ends_after(count: int) -> Wanted:
    return lambda search, found: ended(search, found) and len(found) > count


def cut_off(search: TableSearch, found: list[int]) -> bool:
    return not ended(search, found)


def not_per_token(search: TableSearch, found: list[int]) -> bool:
    return found != search.compete(3, normalised=True)
