# attack: starts threads without end
# limit: processes
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
