# attack: closes every descriptor
# level: 0
# limit: crash
import os
os.closerange(0, 256)
