# attack: many children want a processor for a moment and then sleep, to stop the clock by their waiting
# limit: cell_seconds
import os, time
for _ in range(30):
    if os.fork() == 0:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            pass
        time.sleep(60)
time.sleep(60)
