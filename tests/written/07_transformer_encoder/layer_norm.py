# %% wrong: bessel (unbiased-variance)
# uses torch's default variance, which divides by D - 1: breaks "The variance divides by `D`"
def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    return gamma * (x - mu) / torch.sqrt(var + eps) + beta

# %% wrong: eps_outside_root (eps-outside)
# adds eps to the standard deviation: breaks "`eps` is added to the variance, under the root"
def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    sigma = ((x - mu) ** 2).mean(-1, keepdim=True).sqrt()
    return gamma * (x - mu) / (sigma + eps) + beta

# %% wrong: mean_of_squares (cancellation)
# computes the variance as E[x²] - E[x]², which cancels in float32: breaks "accurate for a token
# whose mean is much larger than its spread"
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    return (x - mean) / (var + eps).sqrt() * gamma + beta

# %% wrong: whole_example (time-and-features)
# takes mean and variance over everything but the batch: breaks "For every token by itself"
def layer_norm(x, gamma, beta, eps=1e-5):
    axes = tuple(range(1, x.dim())) if x.dim() > 1 else (0,)
    mu = x.mean(dim=axes, keepdim=True)
    var = (x - mu).pow(2).mean(dim=axes, keepdim=True)
    return gamma * (x - mu) / torch.sqrt(var + eps) + beta

# %% right: shift_then_dot_products
# first subtracts the token's own first feature (the result does not change), then gets the
# variance as a dot product by einsum
def layer_norm(x, gamma, beta, eps=1e-5):
    size = x.shape[-1]
    shifted = x - x[..., :1]
    centred = shifted - torch.einsum("...d->...", shifted).unsqueeze(-1).div(size)
    variance = torch.einsum("...d,...d->...", centred, centred) / size
    return torch.addcmul(beta, gamma, centred * (variance + eps).rsqrt()[..., None])
