# misconception: heads-added
def merge_heads(x):
    return torch.einsum('bhtd->btd', x)
