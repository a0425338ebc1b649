"""Requests and answers between a pool and its workers.

A byte that says what it is, the length, the content.
"""

from typing import BinaryIO

DONE, REFUSED = 0, 1  # what an answer is


def put(stream: BinaryIO, kind: int, content: bytes) -> None:
    stream.write(bytes([kind]) + len(content).to_bytes(8, "big"))
    stream.write(content)
    stream.flush()


def get(stream: BinaryIO) -> tuple[int, bytes]:
    head = stream.read(9)
    length = int.from_bytes(head[1:], "big")
    content = stream.read(length) if len(head) == 9 else b""
    if len(head) < 9 or len(content) < length:
        raise EOFError
    return head[0], content
