BUFFER = torch.ones(512, 512).tril()


def causal_mask(length):
    return BUFFER[:length, :length] != 0
