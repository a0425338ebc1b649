# attack: starts threads without end (at most 400, in case that no wall stops it)
# limit: processes
import threading, time
for _ in range(400):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
time.sleep(60)
