# misconception: no-gradient
def merge_heads(x):
    b, h, t, d = x.shape
    return torch.as_tensor(x.detach().numpy().transpose(0, 2, 1, 3).reshape(b, t, h * d))
