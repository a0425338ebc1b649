# attack: aborts
# limit: crash
import os
os.abort()
