"""The wire format: what goes in comes out, and whatever else comes in raises WireError and nothing
else.
"""

import contextlib
import json
import os
import threading
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.remote import outcomes_of
from autograder.sandbox import wire
from autograder.sandbox.wire import Decoder, Record, WireError
from course_utils.judging.runner import Case

DTYPES = [getattr(torch, name) for name in wire.DTYPES]
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


def there_and_back(value: Any) -> Any:
    buffers: list[bytes] = []
    header = json.loads(json.dumps(wire.encode(value, buffers)))
    return Decoder(b"".join(buffers), lambda record: record).decode(header)


@given(plain)
def test_plain_values_arrive(value: Any) -> None:
    assert there_and_back(value) == value
    assert type(there_and_back(value)) is type(value)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 4), (1, 2, 3, 4)], ids=str)
def test_tensors_arrive(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    value = (
        torch.arange(max(1, torch.Size(shape).numel()))[: torch.Size(shape).numel()]
        .reshape(shape)
        .to(dtype)
    )
    got = there_and_back([value, (value,)])
    assert torch.equal(got[0], value)
    assert got[0].dtype == got[1][0].dtype == dtype


def test_a_transposed_tensor_arrives_transposed() -> None:
    value = torch.randn(2, 3, 4).permute(2, 0, 1)
    got = there_and_back(value)
    assert torch.equal(got, value)
    assert got.stride() == value.stride()


def test_what_has_no_data_is_refused() -> None:
    for value in (
        torch.eye(3).to_sparse(),
        torch.empty(3, device="meta"),
        object(),
        {1, 2},
        10**1000,
        "x" * (2 << 20),
    ):
        with pytest.raises(WireError):
            wire.encode(value, [])


def test_special_floats_and_ellipsis_arrive() -> None:
    got = there_and_back([float("inf"), float("-inf"), float("nan"), ...])
    assert got[:2] == [float("inf"), float("-inf")]
    assert got[2] != got[2]
    assert got[3] is ...


def test_records_are_for_those_who_know_them() -> None:
    buffers: list[bytes] = []
    header = wire.encode(Record("toy", {"weights": torch.ones(2)}), buffers)
    assert Decoder(b"".join(buffers), lambda record: record.name).decode(header) == "toy"
    with pytest.raises(WireError):
        Decoder(b"".join(buffers)).decode(header)


@pytest.mark.parametrize(
    "node",
    [
        {"tensor": ["object", [1], [0]]},
        {"tensor": ["float32", [2**62, 2**62], [0, 1]]},
        {"tensor": ["float32", [-1], [0]]},
        {"tensor": ["float32", [True], [0]]},
        {"tensor": ["float32", [1], [1]]},
        {"tensor": ["float32", [1] * 17, list(range(17))]},
        {"tensor": [["float32"], [1], [0]]},
        {"tensor": ["bool", [4], [0]]},
        {"tuple": 3},
        {"dict": []},
        {"ellipsis": 1},
        {"a": 1, "b": 2},
        {},
        10**400,
    ],
)
def test_malformed_values_are_refused(node: Any) -> None:
    with pytest.raises(WireError):
        Decoder(b"\x07" * 4, lambda record: record).decode(node)


@pytest.mark.parametrize(
    "shape",
    [[2**39, 0], [2**39, 2**39, 0], [0, 2**39, 2**39, 2**39], [2**27, 0], [0, 2**21]],
    ids=str,
)
def test_nothing_has_endless_rows(shape: list[int]) -> None:
    """A tensor without elements takes no bytes, but a list of its rows takes memory."""
    with pytest.raises(WireError):
        Decoder(b"").decode({"tensor": ["float32", shape, list(range(len(shape)))]})


def test_depth_and_number_of_values_are_bounded() -> None:
    deep: Any = 1
    for _ in range(wire.DEPTH + 2):
        deep = [deep]
    with pytest.raises(WireError):
        Decoder(b"").decode(deep)
    with pytest.raises(WireError):
        Decoder(b"").decode([0] * (wire.NODES + 1))


def test_a_body_must_be_used_up() -> None:
    with pytest.raises(WireError):
        Decoder(b"rest").decode(1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(
                [
                    "tensor",
                    "tuple",
                    "dict",
                    "record",
                    "ellipsis",
                    "values",
                    "changed",
                    "gradients",
                    "failure",
                    "x",
                ]
            ),
            inner,
            max_size=3,
        )
        | st.tuples(
            st.sampled_from([*wire.DTYPES, "object"]),
            st.lists(st.integers(-2, 5) | st.sampled_from([2**20, 2**39, 2**62]), max_size=4),
            st.lists(st.integers(-1, 4), max_size=4) | st.integers(0, 4).map(lambda n: [*range(n)]),
        ).map(lambda content: {"tensor": list(content)})
    ),
    max_leaves=20,
)


@settings(max_examples=600, deadline=None)
@given(json_values, st.binary(max_size=64))
def test_fuzzed_values_raise_only_the_documented_error(node: Any, body: bytes) -> None:
    with contextlib.suppress(WireError):
        Decoder(body, lambda record: record).decode(node)


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.lists(json_values, max_size=3) | json_values, st.binary(max_size=64), st.integers(0, 3))
def test_fuzzed_outcomes_raise_only_the_documented_error(
    nodes: Any, body: bytes, count: int
) -> None:
    with contextlib.suppress(WireError):
        assert len(outcomes_of({"outcomes": nodes}, body, [Case("")] * count)) == count


outcome_nodes = st.fixed_dictionaries(
    {
        "values": st.lists(json_values, max_size=2),
        "changed": json_values,
        "gradients": st.dictionaries(st.text(max_size=3), json_values, max_size=2),
    }
)
failure_nodes = st.fixed_dictionaries(
    {
        "failure": st.fixed_dictionaries(
            {
                "kind": st.sampled_from(["raised", "time", "limit", "crash", "x"]),
                "type": json_values,
                "message": json_values,
                "line": json_values,
                "code": json_values,
            }
        )
    }
)


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.lists(outcome_nodes | failure_nodes, min_size=1, max_size=2), st.binary(max_size=32))
def test_nearly_right_outcomes_raise_only_the_documented_error(nodes: Any, body: bytes) -> None:
    try:
        outcomes = outcomes_of({"outcomes": nodes}, body, [Case("")] * len(nodes))
        for node, outcome in zip(nodes, outcomes, strict=True):
            if "failure" in node:
                assert outcome.failure is not None
                assert outcome.failure.kind in ("raised", "time", "missing", "parameters")
            elif len(node["values"]) != 1 or node["gradients"]:
                assert outcome.failure is not None
                assert outcome.failure.kind == "crash"
            else:
                assert outcome.failure is None
    except WireError:
        pass


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=200))
def test_fuzzed_frames_raise_only_the_documented_errors(data: bytes) -> None:
    read, write = os.pipe()
    try:
        os.write(write, data)
        os.close(write)
        wire.read(read)
    except (WireError, EOFError):
        pass
    finally:
        os.close(read)


def test_frames_arrive_in_pieces() -> None:
    read, write = os.pipe()
    frame = wire.pack({"seq": 1, "text": "é" * 1000}, [b"x" * 300_000])
    thread = threading.Thread(
        target=lambda: [os.write(write, frame[i : i + 777]) for i in range(0, len(frame), 777)]
    )
    thread.start()
    header, body = wire.read(read)
    thread.join()
    os.close(read)
    os.close(write)
    assert header == {"seq": 1, "text": "é" * 1000}
    assert len(body) == 300_000


def test_lengths_are_bounded() -> None:
    with pytest.raises(WireError):
        wire.unpack_prefix(wire.PREFIX.pack(10, 1 << 60))
    with pytest.raises(WireError):
        wire.pack({}, [b"x" * (wire.BODY + 1)])
