# attack: writes one endless file
# limit: maybe
import signal
with open("/tmp/giant", "wb") as file:
    while True:
        file.write(b"x" * (1 << 20))
