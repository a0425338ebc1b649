# attack: hides 600 MB in segments of memory that no process is attached to
# level: 2
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
segments = [libc.shmget(0, ctypes.c_size_t(100 << 20), 0o1600) for _ in range(6)]
for segment in segments:
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    place = libc.shmat(segment, None, 0)
    ctypes.memset(place, 1, 100 << 20)
    libc.shmdt(ctypes.c_void_p(place))
print("HIDDEN")
for segment in segments:
    libc.shmctl(segment, 0, None)
