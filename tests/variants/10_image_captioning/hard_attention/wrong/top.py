# misconception: argmax-for-a-draw
def hard_attention(regions, weights, generator):
    assert isinstance(generator, torch.Generator)
    top = weights.topk(1)
    index = top.indices[:, 0]
    return torch.stack([r[i] for r, i in zip(regions, index)]), index, top.values[:, 0].log()
