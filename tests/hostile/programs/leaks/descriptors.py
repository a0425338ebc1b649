# attack: reads from every open descriptor
import os
for name in os.listdir("/proc/self/fd"):
    try:
        print(name, os.readlink("/proc/self/fd/" + name), os.pread(int(name), 4096, 0))
    except (OSError, ValueError):
        pass
