# attack: reads the memory of other processes
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in [os.getppid(), 1, @PID@]:
    print("ptrace", libc.ptrace(16, pid, 0, 0))
    try:
        print("OPENED", open(f"/proc/{pid}/mem", "rb").read(1)) if pid != os.getpid() else None
    except OSError as error:
        print("REFUSED", error)
