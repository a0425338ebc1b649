# attack: writes one endless file (at most 64 MB, in case that no wall stops it)
# limit: disk_mb
import signal
with open("/tmp/giant", "wb") as file:
    for _ in range(64):
        file.write(b"x" * (1 << 20))
