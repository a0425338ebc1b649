# misconception: heads-along-time
def merge_heads(x):
    b, h, t, d = x.shape
    return torch.cat([x[:, i] for i in range(h)], dim=1)
