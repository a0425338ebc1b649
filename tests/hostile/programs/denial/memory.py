# attack: asks for more and more memory (at most 1 GB, in case that no wall stops it)
# limit: memory_mb
hoard = []
for _ in range(16):
    hoard.append(b"x" * (64 << 20))
