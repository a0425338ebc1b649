# attack: ends the process in the answer cell
# limit: crash
import os
os._exit(0)
