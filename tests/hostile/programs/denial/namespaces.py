# attack: makes namespaces and mounts of its own
# level: 2
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000):
    print("unshare", libc.unshare(flag) == 0 and "MADE" or "REFUSED")
print("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0 and "MADE" or "REFUSED")
print("chroot", libc.chroot(b"/tmp") == 0 and "MADE" or "REFUSED")
print("setuid", libc.setuid(0) == 0 and "MADE" or "REFUSED")
