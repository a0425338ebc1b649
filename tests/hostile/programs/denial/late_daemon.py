# attack: a daemon that forks faster than it can be killed
# limit: maybe
# spoils: all
import os, time
if os.fork() == 0:
    for _ in range(2000):
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(0.01)
    os._exit(0)
