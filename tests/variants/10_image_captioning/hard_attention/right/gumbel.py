def hard_attention(regions, weights, generator):
    u = torch.rand(weights.shape, generator=generator).clamp(min=1e-12)
    gumbel = -torch.log(-torch.log(u))
    index = (weights.log() + gumbel).argmax(-1)
    context = regions.gather(1, index[:, None, None].expand(-1, 1, regions.shape[-1])).squeeze(1)
    return context, index, weights.log().gather(1, index[:, None])[:, 0]
