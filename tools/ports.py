"""A port for a server that is started in a moment, and may be started again."""

import random
import socket

# below the ports that Linux gives to outgoing connections: nobody gets it in between by accident
LOWEST, HIGHEST = 20_000, 32_000


def free() -> int:
    """A port of this machine on which nobody listens."""
    chance = random.SystemRandom()
    for _ in range(1000):
        port = chance.randrange(LOWEST, HIGHEST)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise RuntimeError("this machine has no free port")
