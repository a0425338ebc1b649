# attack: closes every descriptor
# limit: crash
import os
os.closerange(0, 256)
