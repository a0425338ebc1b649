# attack: reads from address zero
# limit: crash
import ctypes
ctypes.string_at(0)
