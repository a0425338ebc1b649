# attack: stops itself without ending
# level: 0
# limit: maybe
import os, signal
def softmax(scores, dim=-1):
    os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        signal.pause()
