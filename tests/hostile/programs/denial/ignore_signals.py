# attack: ignores every signal and sleeps
# level: 0
# limit: cell_seconds
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        time.sleep(1000)
    except BaseException:
        pass
