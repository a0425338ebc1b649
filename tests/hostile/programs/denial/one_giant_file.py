# attack: writes one endless file
# limit: disk_mb
import signal
with open("/tmp/giant", "wb") as file:
    while True:
        file.write(b"x" * (1 << 20))
