# attack: reads from address zero
# level: 0
# limit: crash
import ctypes
ctypes.string_at(0)
