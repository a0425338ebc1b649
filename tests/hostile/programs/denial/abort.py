# attack: aborts
# level: 0
# limit: crash
import os
os.abort()
