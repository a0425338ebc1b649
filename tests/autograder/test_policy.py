"""The rules from facts to points: pure, so that they can be tried on anything."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.points import policy
from autograder.points.policy import Cell, Charge, Deadline, HandIn, Points, Questions, Rule, Scheme

DUE = datetime(2027, 3, 1, 12, tzinfo=UTC)
TENTH = Rule(penalty_per_day=0.1)


def came(**after: float) -> HandIn:
    return HandIn(DUE + timedelta(**after), "worksheet")


def share(handed_in: HandIn, rule: Rule = TENTH, extended: datetime | None = None) -> float:
    late = policy.lateness(handed_in, Deadline(DUE, extended), rule)
    return policy.charges({"u": late}, ["u"], rule)["u"].share


@pytest.mark.parametrize(
    ("handed_in", "rule", "expected"),
    [
        (came(seconds=0), TENTH, 0.0),
        (came(seconds=1), TENTH, 0.1),
        (came(hours=24), TENTH, 0.1),
        (came(hours=24, seconds=1), TENTH, 0.2),
        (came(minutes=15), Rule(0.1, grace_minutes=15), 0.0),
        (came(minutes=16), Rule(0.1, grace_minutes=15), 0.1),
        (came(days=30), TENTH, 1.0),
        (came(days=30), Rule(0.1, max_penalty=0.5), 0.5),
        (HandIn(None, "mark"), TENTH, 0.1),
        (HandIn(None, "mark"), Rule(0.1, unknown_days=0), 0.0),
        (HandIn(None, "unmarked"), TENTH, 0.0),
        (HandIn(), TENTH, 0.0),
    ],
)
def test_what_lateness_costs(handed_in: HandIn, rule: Rule, expected: float) -> None:
    assert share(handed_in, rule) == pytest.approx(expected)


def test_an_unknown_amount_never_counts_against_an_extension() -> None:
    until = DUE + timedelta(days=7)
    assert share(HandIn(None, "mark"), extended=until) == 0.0
    assert share(came(days=3), extended=until) == 0.0
    assert share(came(days=8), extended=until) == pytest.approx(0.1)


def test_every_deduction_has_its_reason_and_unknown_amounts_say_so() -> None:
    late = policy.lateness(HandIn(None, "mark"), Deadline(DUE), TENTH)
    charge = policy.charges({"u": late}, ["u"], TENTH)["u"]
    assert "unknown amount" in charge.reason
    assert "10 %" in charge.reason
    assert policy.charges({}, ["u"], TENTH)["u"].reason == ""


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 8))
def test_late_days_are_used_in_order_and_never_more_than_there_are(
    days: list[int], free: int
) -> None:
    order = [f"u{n}" for n in range(len(days))]
    late = {
        unit: policy.Lateness(each, each * policy.DAY, True, "late" if each else "")
        for unit, each in zip(order, days, strict=True)
    }
    found = policy.charges(late, order, Rule(0.1, late_days=free))
    assert sum(charge.free for charge in found.values()) == min(free, sum(days))
    left = free
    for unit, each in zip(order, days, strict=True):
        used = min(left, each)
        left -= used
        assert found[unit].share == pytest.approx(min(1.0, 0.1 * (each - used)))


@given(
    st.floats(-5, 100, allow_nan=False),
    st.floats(0, 1, allow_nan=False),
)
def test_never_more_is_taken_off_than_there_is(points: float, part: float) -> None:
    off = Charge(part).off(points)
    assert 0 <= off <= max(points, 0.0)


def test_dropped_questions_and_full_credit() -> None:
    cells = {"test_a": Cell(1, 4), "test_b": Cell(0, 3), "why": Cell(0, 3, True)}
    charge = Charge(0.1)
    plain = policy.points(cells, Questions(), charge)
    assert (plain.earned, plain.most, plain.final, plain.waiting) == (1, 10, 0.9, True)
    changed = policy.points(cells, Questions(drop=("a",), full_credit=("why",)), charge)
    assert (changed.earned, changed.most, changed.waiting) == (3, 6, False)
    assert changed.final == pytest.approx(2.7)


def exact(units: dict[str, tuple[int, int] | None], weights: dict[str, int], best: int) -> Fraction:
    """The weighted mean in fractions: the independent calculation."""
    shares = {u: Fraction(*each) if each else Fraction(0) for u, each in units.items()}
    chosen = sorted(shares, key=lambda u: (-shares[u], u))[:best]
    whole = sum(weights[u] for u in chosen)
    return sum((weights[u] * shares[u] for u in chosen), Fraction(0)) / whole


@given(
    st.dictionaries(
        st.sampled_from(["01", "02", "03", "04", "05"]),
        st.one_of(st.none(), st.tuples(st.integers(0, 40), st.just(40))),
        min_size=1,
    ),
    st.fixed_dictionaries({u: st.integers(1, 40) for u in ["01", "02", "03", "04", "05"]}),
    st.integers(1, 5),
)
def test_the_total_is_the_weighted_mean_of_the_best(
    units: dict[str, tuple[int, int] | None], weights: dict[str, int], best: int
) -> None:
    points = {
        u: Points(float(each[0]), float(each[1])) if each else None for u, each in units.items()
    }
    scheme = Scheme(weights={u: float(w) for u, w in weights.items()}, best=best)
    found = policy.total(points, scheme)
    assert found.score is not None
    assert abs(Fraction(str(found.score)) - 100 * exact(units, weights, best)) <= Fraction(1, 200)


def test_missing_units_rounding_and_letters() -> None:
    units = {"01": Points(7, 8), "02": None}
    letters = {"A": 87.5, "B": 50.0, "F": 0.0}
    zero = policy.total(units, Scheme(letters=letters))
    assert (zero.score, zero.letter) == (43.75, "F")
    blank = policy.total(units, Scheme(missing="blank", letters=letters))
    assert (blank.score, blank.letter, blank.counted) == (87.5, "A", ("01",))
    assert policy.total({"01": None}, Scheme(missing="blank")).score is None
    assert policy.rounded(2.675, 2) == 2.68
    assert policy.rounded(0.125, 2) == 0.13
    assert policy.rounded(1 - 1e-12, 2) == 1.0


@given(st.permutations([HandIn(), HandIn(None, "mark"), came(days=1), came(days=2)]))
def test_of_several_statements_on_a_time_the_same_is_believed_in_any_order(
    said: list[HandIn],
) -> None:
    believed = said[0]
    for each in said[1:]:
        if each.better_than(believed):
            believed = each
    assert believed == came(days=1)
