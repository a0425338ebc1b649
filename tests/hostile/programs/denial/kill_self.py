# attack: kills itself
# level: 0
# limit: maybe
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
os.kill(0, 9)
raise SystemExit
