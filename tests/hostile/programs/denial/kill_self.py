# attack: kills itself
# limit: maybe
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
os.kill(0, 9)
raise SystemExit
