# attack: ends the process in the answer cell
# level: 0
# limit: crash
import os
os._exit(0)
