"""How data crosses the wall: a JSON header and raw buffers, never code.

A frame is `u32 length of the header | u64 length of the body | header (JSON) | body (little-endian
buffers)`. In the header

    null, true, 1, 1.5, "text", [..]        stand for themselves
    {"tuple": [..]}  {"dict": {..}}         a tuple, a dict with string keys
    {"tensor": [dtype, shape, order]}       takes its bytes from the body, in the order of
                                            appearance; `order` lists the axes from the largest
                                            stride to the smallest, so that a transposed tensor
                                            arrives transposed
    {"record": [name, {..}]}                a Record: something that the other side knows by name
    {"ellipsis": null}                      the value `...`

Whatever arrives is hostile until it is decoded; decoding raises WireError and nothing else.
"""

import json
import math
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # imported where it is needed: a process that only proves its walls starts without torch
    from torch import Tensor

HEADER, BODY, DEPTH, NODES, AXES = 16 << 20, 128 << 20, 24, 200_000, 16
ROWS = 1 << 20  # of a tensor without elements, which takes nothing from the body
TEXT, BITS = 1 << 20, 63  # of one string, of one number: what a tensor can hold
DTYPES = (
    *("float64", "float32", "float16", "bfloat16", "complex64", "complex128"),
    *("int64", "int32", "int16", "int8", "uint8", "bool"),
)
SIMPLE = ("float32", "float64", "int64", "bool")  # which NumPy writes as they are
PREFIX = struct.Struct("<IQ")


class WireError(ValueError):
    """A frame that is not what this module describes."""


@dataclass(frozen=True)
class Record:
    """Plain data with a name that says what the receiver should make of it."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)


def encode(
    value: Any,
    buffers: list[bytes],
    depth: int = 0,
    otherwise: Callable[[Any], Record] | None = None,
) -> Any:
    """The header's form of a value; tensors append their bytes to `buffers`.

    What cannot be sent raises WireError, or becomes the record that `otherwise` makes of it.
    """
    try:
        return _encode(value, buffers, depth, otherwise)
    except WireError:
        if otherwise is None:
            raise
        record = otherwise(value)
        return {"record": [record.name, record.fields]}


def _encode(
    value: Any, buffers: list[bytes], depth: int, otherwise: Callable[[Any], Record] | None
) -> Any:
    if depth > DEPTH:
        raise WireError("nested too deeply")
    if value is None or isinstance(value, bool | float | int | str):
        return _encode_plain(value)
    more = (buffers, depth + 1, otherwise)
    if isinstance(value, list):
        return [encode(item, *more) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(item, *more) for item in value]}
    if isinstance(value, dict):
        return {"dict": {str(key): encode(item, *more) for key, item in value.items()}}
    if isinstance(value, Record):
        fields = {key: encode(item, *more) for key, item in value.fields.items()}
        return {"record": [value.name, fields]}
    if value is ...:
        return {"ellipsis": None}
    from torch import Tensor

    if isinstance(value, Tensor):
        return _encode_tensor(value, buffers)
    raise WireError(f"a value of type {type(value).__name__} cannot be sent")


def _encode_plain(value: bool | float | int | str | None) -> Any:
    if isinstance(value, str) and len(value) > TEXT:
        raise WireError(f"a text of {len(value)} characters is too long")
    if isinstance(value, int) and value.bit_length() > BITS:
        raise WireError("a number with too many digits")
    return value


def _encode_tensor(value: "Tensor", buffers: list[bytes]) -> Any:
    import torch

    name = str(value.dtype).removeprefix("torch.")
    if (
        name not in DTYPES
        or value.layout != torch.strided
        or value.device.type != "cpu"
        or value.dim() > AXES
    ):
        raise WireError(
            f"a tensor of type {value.dtype}, layout {value.layout} "
            f"on {value.device} cannot be sent"
        )
    order = list(range(value.dim()))
    if name in SIMPLE and value.is_contiguous():
        buffers.append(value.detach().numpy().tobytes())
        return {"tensor": [name, list(value.shape), order]}
    plain = value.detach().resolve_conj().resolve_neg()
    if not plain.is_contiguous():
        order.sort(key=lambda axis: plain.stride()[axis], reverse=True)
        plain = plain.permute(order)
    flat = plain.contiguous().reshape(-1)
    buffers.append(flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"")
    return {"tensor": [name, list(value.shape), order]}


class Decoder:
    """Turns one header and its body back into values, and counts while it does."""

    def __init__(
        self, body: bytes | bytearray, record: Callable[[Record], Any] | None = None
    ) -> None:
        self.body, self.at, self.nodes = memoryview(body), 0, 0
        self.record = record

    def decode(self, node: Any) -> Any:
        """The value; WireError unless the header is well formed and the body used up exactly."""
        try:
            value = self._value(node, 0)
        except RecursionError:
            raise WireError("nested too deeply") from None
        if self.at != len(self.body):
            raise WireError("the body is longer than its header says")
        return value

    def _value(self, node: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise WireError("nested too deeply, or too many values")
        if node is None or type(node) in (bool, float):
            return node
        if type(node) in (str, int):
            return self._bounded(node)
        if type(node) is list:
            return [self._value(item, depth + 1) for item in node]
        if type(node) is not dict or len(node) != 1:
            raise WireError("not a value")
        kind, content = next(iter(node.items()))
        return self._marked(kind, content, depth)

    def _marked(self, kind: str, content: Any, depth: int) -> Any:
        """A value that says of what kind it is."""
        if kind == "tensor":
            return self._tensor(content)
        if kind == "tuple" and type(content) is list:
            return tuple(self._value(item, depth + 1) for item in content)
        if kind == "dict" and type(content) is dict:
            return {key: self._value(item, depth + 1) for key, item in content.items()}
        if kind == "ellipsis" and content is None:
            return ...
        if kind == "record" and self.record is not None:
            return self.record(self._record(content, depth + 1))
        raise WireError(f"unknown kind of value: {str(kind)[:40]!r}")

    def _bounded(self, node: str | int) -> str | int:
        size, most = (len(node), TEXT) if isinstance(node, str) else (node.bit_length(), BITS)
        if size > most:
            raise WireError("a text or number that is too long")
        return node

    def _record(self, content: Any, depth: int) -> Record:
        if type(content) is not list or len(content) != 2:
            raise WireError("not a record")
        name, fields = content
        if type(name) is not str or type(fields) is not dict:
            raise WireError("not a record")
        return Record(name, {key: self._value(item, depth) for key, item in fields.items()})

    def _tensor(self, content: Any) -> "Tensor":
        import torch

        if type(content) is not list or len(content) != 3:
            raise WireError("not a tensor")
        name, shape, order = content
        if type(name) is not str or name not in DTYPES:
            raise WireError("a tensor of a type that is not allowed")
        dtype = getattr(torch, name)
        if (
            type(shape) is not list
            or len(shape) > AXES
            or not all(type(size) is int and 0 <= size <= BODY for size in shape)
            or (0 in shape and math.prod(size or 1 for size in shape) > ROWS)
        ):
            raise WireError("not a shape")
        if (
            type(order) is not list
            or not all(type(axis) is int for axis in order)
            or sorted(order) != list(range(len(shape)))
        ):
            raise WireError("not an order of axes")
        length = math.prod(shape) * dtype.itemsize
        if length > len(self.body) - self.at:
            raise WireError("the body is shorter than its header says")
        raw = bytearray(self.body[self.at : self.at + length])
        self.at += length
        if dtype == torch.bool and raw.translate(None, b"\x00\x01"):
            raise WireError("a truth value that is neither true nor false")
        flat = torch.frombuffer(raw, dtype=dtype) if length else torch.empty(0, dtype=dtype)
        if order == list(range(len(shape))):
            return flat.reshape(shape)
        sizes = [shape[axis] for axis in order]
        return flat.reshape(sizes).permute([order.index(axis) for axis in range(len(shape))])


def pack(header: Any, buffers: list[bytes]) -> bytes:
    """A frame as bytes."""
    try:
        head = json.dumps(header).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise WireError(f"cannot be written as JSON: {error}") from None
    body = b"".join(buffers)
    if len(head) > HEADER or len(body) > BODY:
        raise WireError(f"{(len(head) + len(body)) >> 20} MB are too much for one message")
    return PREFIX.pack(len(head), len(body)) + head + body


def unpack_prefix(prefix: bytes) -> tuple[int, int]:
    """The lengths of header and body; WireError if they are too large."""
    head, body = PREFIX.unpack(prefix)
    if head > HEADER or body > BODY:
        raise WireError("a message that is too large")
    return head, body


def parse_header(head: bytes | bytearray) -> dict[str, Any]:
    """The header of a frame, which is always a JSON object."""
    try:
        header = json.loads(bytes(head))
    except (ValueError, RecursionError):  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        raise WireError("a message that is not JSON") from None
    if type(header) is not dict:
        raise WireError("a message that is not an object")
    return header


def write(fd: int, frame: bytes) -> None:
    """Write a whole frame to a blocking descriptor."""
    view = memoryview(frame)
    while view:
        view = view[os.write(fd, view) :]


def read(fd: int) -> tuple[dict[str, Any], bytearray]:
    """Read a whole frame from a blocking descriptor; EOFError at its end."""
    head, body = unpack_prefix(bytes(_exactly(fd, PREFIX.size)))
    return parse_header(_exactly(fd, head)), _exactly(fd, body)


def _exactly(fd: int, length: int) -> bytearray:
    data = bytearray(length)
    view, at = memoryview(data), 0
    while at < length:
        chunk = os.read(fd, min(length - at, 1 << 20))
        if not chunk:
            raise EOFError
        view[at : at + len(chunk)] = chunk
        at += len(chunk)
    return data
