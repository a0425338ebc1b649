# attack: processes that compute while the cell sleeps
# limit: maybe
import os, time
for _ in range(4):
    if os.fork() == 0:
        while True:
            pass
time.sleep(60)
