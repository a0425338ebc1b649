# attack: forks without end (at most 400 times, in case that no wall stops it)
# limit: processes
import os, time
tokens, fill = os.pipe()
os.write(fill, b"x" * 400)
os.close(fill)
while os.read(tokens, 1):
    try:
        os.fork()
    except OSError:
        pass
time.sleep(60)
