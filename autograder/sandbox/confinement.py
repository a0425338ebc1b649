"""What a child is told before it builds its walls: plain numbers and paths, as JSON."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Confinement:
    """One child: how high its walls are, what it may see, and what it may use."""

    level: int = 3
    uid: int = 0  # to become, where the grader is root; 0: it is an ordinary user, and stays one
    reads_all: bool = False  # keep the right to read: the libraries are in a private folder
    groups: tuple[str, ...] = ()  # folders of control groups to join
    shown: tuple[tuple[str, str], ...] = ()  # (folder outside, where it appears inside), read-only
    work: str = ""  # working folder outside; empty where the child gets one of its own
    memory_mb: int = 2048
    cpu_seconds: float = 240.0
    processes: int = 64
    disk_mb: int = 64
    path: tuple[str, ...] = ()  # what to put in front of sys.path

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Confinement":
        fields = json.loads(data)
        fields["shown"] = tuple((outside, inside) for outside, inside in fields["shown"])
        fields["path"] = tuple(fields["path"])
        fields["groups"] = tuple(fields["groups"])
        return cls(**fields)
