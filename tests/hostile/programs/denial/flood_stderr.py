# attack: floods standard error from a thread, and then returns
# level: 0
# limit: output_kb
import sys, threading
def flood():
    while True:
        sys.stderr.write("x" * 10000)
thread = threading.Thread(target=flood, daemon=True)
thread.start()
thread.join(2)
