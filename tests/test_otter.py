"""What the comparison with Otter-Grader counts, on scores that are made up."""

from tools.bench import otter
from tools.bench.otter import Graded

HONEST = ["honest-001", "honest-002", "honest-003"]


def test_attacks_are_of_both_kinds_and_harm_no_machine() -> None:
    for number in (2, 6, 14):
        chosen = otter.attacks(number)
        assert len({each.name for each in chosen}) == number
        rough = [each for each in chosen if each.path.stem in otter.HARMLESS]
        assert len(rough) == number // 2
        assert {each.path.parent.name for each in chosen} - {"denial"} == {"interpreter"}
    assert len(otter.attacks(1000)) < 1000


def test_what_is_wrong_is_counted() -> None:
    hostile = otter.attacks(4)
    names = [otter.name_of(each) for each in hostile]
    reference = {name: {"softmax": 3.0, "rescaled": 1.0} for name in HONEST}
    scores = {name: dict(points) for name, points in reference.items()}
    scores |= {name: {"softmax": 0.0} for name in names}
    right = Graded("right", 40.0, scores)
    row = otter.summary(right, [*HONEST, *names], HONEST, hostile, reference)
    counted = ("attacks_with_points", "attacks_without_a_grade", "honest_different", "honest_lost")
    assert [row[name] for name in counted] == [0, 0, 0, 0]
    assert (row["honest"], row["attacks"], row["each"]) == (3, 4, 5.7)

    del scores[HONEST[0]], scores[names[1]]
    scores[HONEST[1]]["softmax"] = 2.0
    scores[names[0]]["softmax"] = 3.0
    row = otter.summary(right, [*HONEST, *names], HONEST, hostile, reference)
    assert [row[name] for name in counted] == [1, 1, 1, 1]
    assert row["successful"] == [names[0]]
    few = otter.summary(right, [HONEST[2], *names], HONEST, hostile, reference)
    assert (few["honest"], few["honest_lost"], few["honest_different"]) == (1, 0, 0)


def test_the_table_has_a_line_per_engine() -> None:
    hostile = otter.attacks(2)
    graded = Graded("otter run", 12.0, {}, killed=1)
    row = otter.summary(graded, HONEST, HONEST, hostile, {})
    lines = otter.table({"engines": [row, row]})
    assert lines[0].startswith("| engine | honest | attacks | seconds |")
    assert lines[2:] == ["| otter run | 3 | 2 | 12.0 | 2.4 | 0 | 0 | 1 | 2 | 3 |"] * 2
