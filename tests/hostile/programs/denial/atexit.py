# attack: hooks that run at the end and hang
# level: 0
import atexit, threading, time
atexit.register(time.sleep, 1000)
threading.Thread(target=time.sleep, args=(1000,)).start()
