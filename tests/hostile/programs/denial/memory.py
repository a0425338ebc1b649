# attack: asks for more and more memory
# limit: memory_mb
import torch
hoard = []
while True:
    hoard.append(torch.ones(16 << 20))
