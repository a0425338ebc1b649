# attack: a thread that keeps writing to standard error
# spoils: rescaled
import sys, threading, time
def nag():
    while True:
        sys.stderr.write("still here\n")
        time.sleep(0.05)
threading.Thread(target=nag, daemon=True).start()
