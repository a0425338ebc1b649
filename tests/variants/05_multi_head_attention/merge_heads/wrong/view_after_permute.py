# misconception: view-of-a-transposed-tensor
def merge_heads(x):
    x = x.permute(0, 2, 1, 3)
    return x.view(x.size(0), x.size(1), -1)
