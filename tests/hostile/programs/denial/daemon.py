# attack: leaves a daemon behind
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(0, 256):
            try:
                os.close(fd)
            except OSError:
                pass
        os.execvp("sleep", ["sleep", "@SLEEP@"])
    os._exit(0)
subprocess.Popen(["sleep", "@SLEEP@"], start_new_session=True)
