# attack: many processes, each with a harmless amount of memory
# limit: memory_mb
import os, time
for _ in range(12):
    if os.fork() == 0:
        hoard = bytearray(os.urandom(1 << 20)) * 120
        time.sleep(60)
        os._exit(0)
time.sleep(60)
