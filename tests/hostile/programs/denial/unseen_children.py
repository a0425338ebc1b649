# attack: children whose processor time nobody adds up, because nobody waits for them
# limit: maybe
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(60):
    for _ in range(4):
        if os.fork() == 0:
            end = time.process_time() + 0.3
            while time.process_time() < end:
                pass
            os._exit(0)
    time.sleep(0.5)
