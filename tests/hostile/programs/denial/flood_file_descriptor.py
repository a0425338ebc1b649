# attack: floods descriptor 1 past Python
# limit: maybe
import os
while True:
    os.write(1, b"x" * 65536)
