# %% right: beside_a_given_class
class Block(nn.Module):
    """Given in the notebook, not part of the answer."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)


def layer_norm(x, gamma, beta, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return gamma * centred / (centred.pow(2).mean(-1, keepdim=True) + eps).sqrt() + beta


# %% right: centred_norm
def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    c = x - x.sum(-1, keepdim=True) / d
    length2 = torch.einsum("...i,...i->...", c, c).unsqueeze(-1)
    return gamma * math.sqrt(d) * c / torch.sqrt(length2 + d * eps) + beta


# %% right: centring_matrix
def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    centre = torch.eye(d, dtype=torch.float64) - 1 / d
    c = (x.double() @ centre).float()
    return c * (c.square().mean(-1)[..., None] + eps).pow(-0.5) * gamma + beta


# %% right: features_first
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.movedim(-1, 0)
    y = y - y.mean(0)
    y = y / (y.square().mean(0) + eps).sqrt()
    return y.movedim(0, -1) * gamma + beta


# %% right: float64
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.double()
    y = y - y.mean(-1, keepdim=True)
    y = y / (y.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return (y * gamma + beta).to(x.dtype)


# %% right: manual
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta


# %% right: own_copy_in_place
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.clone()
    y = y.sub(y.mean(-1, keepdim=True))
    return y.div((y.pow(2).mean(-1, keepdim=True) + eps).sqrt()).mul(gamma).add(beta)


# %% right: token_by_token
def layer_norm(x, gamma, beta, eps=1e-5):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        c = token - token.mean()
        rows.append(gamma * c / torch.sqrt((c * c).mean() + eps) + beta)
    return torch.stack(rows).reshape(x.shape)


# %% right: unbiased_corrected
def layer_norm(x, gamma, beta, eps=1e-5):
    n = x.shape[-1]
    std2 = x.std(-1, keepdim=True) ** 2 * (n - 1) / n
    return gamma * (x - x.mean(-1, keepdim=True)) / (std2 + eps) ** 0.5 + beta


# %% right: var_mean
def layer_norm(x, gamma, beta, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(var + eps))


# %% right: einops_reduce
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = einops.reduce(x, "... d -> ... 1", "mean")
    spread = einops.reduce((x - mean) ** 2, "... d -> ... 1", "mean")
    return torch.einsum("...d,d->...d", (x - mean) / torch.sqrt(spread + eps), gamma) + beta


# %% right: helper_class
class Standardise:
    def __init__(self, *, eps):
        self.eps = eps

    def __call__(self, token):
        mean = sum(token.unbind()) / len(token)
        variance = sum((token - mean).square().unbind()) / len(token)
        return (token - mean) * (variance + self.eps) ** -0.5


def layer_norm(x, gamma, beta, eps=1e-5):
    standardise = Standardise(eps=eps)
    tokens = [standardise(token) for token in x.view(-1, x.size(-1))]
    return torch.stack(tokens).view_as(x).mul(gamma).add(beta)


# %% right: sums_by_matrix_products
def layer_norm(x, gamma, beta, eps=1e-5):
    mean_of = torch.full((x.shape[-1], 1), 1 / x.shape[-1], dtype=torch.float64)
    c = x.double() - x.double() @ mean_of
    return (c / torch.sqrt(c**2 @ mean_of + eps)).type_as(x) * gamma + beta


# %% right: deviation_squared
def layer_norm(x, gamma, beta, eps=1e-5):
    mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(std**2 + eps) + beta


# %% wrong: divides_by_n_minus_one (unbiased-variance)
def layer_norm(x, gamma, beta, eps=1e-5):
    n = x.size(-1)
    d = x - x.sum(-1, keepdim=True) / n
    return gamma * d * torch.rsqrt((d * d).sum(-1, keepdim=True) / (n - 1) + eps) + beta


# %% wrong: torch_var_default (unbiased-variance)
def layer_norm(x, gamma, beta, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    v = x.var(-1, keepdim=True)
    return (x - m) / torch.sqrt(v + eps) * gamma + beta


# %% wrong: annotated (unbiased-and-eps-outside)
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return gamma * (x - mean) / (std + eps) + beta


# %% wrong: eps_on_the_deviation (eps-outside)
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(dim=-1, keepdim=True)
    std = c.pow(2).mean(dim=-1, keepdim=True).sqrt()
    return c / (std + eps) * gamma + beta


# %% wrong: eps_forgotten_as_argument (eps-fixed)
def layer_norm(x, gamma, beta, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(var + 1e-5) * gamma + beta


# %% wrong: no_eps (eps-missing)
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return gamma * c / c.square().mean(-1, keepdim=True).sqrt() + beta


# %% wrong: variance_in_the_denominator (no-root)
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    var = c.square().mean(-1, keepdim=True)
    return gamma * (c / (var + eps)) + beta


# %% wrong: batch_norm (batch-statistics)
def layer_norm(x, gamma, beta, eps=1e-5):
    flat = x.reshape(-1, x.shape[-1])
    flat = (flat - flat.mean(0)) / (flat.var(0, unbiased=False) + eps).sqrt()
    return gamma * flat.reshape(x.shape) + beta


# %% wrong: dim_zero (first-axis)
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=0)
    var = ((x - mean) ** 2).mean(dim=0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta


# %% wrong: dim_one (axis-one)
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(1, keepdim=True)
    var = x.var(1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta


# %% wrong: whole_sequence (time-and-features)
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean((-2, -1), keepdim=True)
    var = ((x - mean) ** 2).mean((-2, -1), keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta


# %% wrong: whole_tensor (over-everything)
def layer_norm(x, gamma, beta, eps=1e-5):
    x = (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps)
    return x * gamma + beta


# %% wrong: rms_norm (mean-kept)
def layer_norm(x, gamma, beta, eps=1e-5):
    rms = torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x / rms * gamma + beta


# %% wrong: no_affine (gamma-and-beta-missing)
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return c / torch.sqrt((c**2).mean(-1, keepdim=True) + eps)


# %% wrong: affine_first (gamma-first)
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x * gamma + beta
    m = y.mean(-1, keepdim=True)
    return (y - m) / torch.sqrt(((y - m) ** 2).mean(-1, keepdim=True) + eps)


# %% wrong: beta_inside (beta-scaled)
def layer_norm(x, gamma, beta, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    s = torch.sqrt(((x - m) ** 2).mean(-1, keepdim=True) + eps)
    return ((x - m) / s + beta) * gamma


# %% wrong: two_moments (cancellation)
def layer_norm(x, gamma, beta, eps=1e-5):
    m1 = x.mean(-1, keepdim=True)
    m2 = (x**2).mean(-1, keepdim=True)
    return gamma * (x - m1) * torch.rsqrt(m2 - m1**2 + eps) + beta


# %% wrong: no_keepdim (keepdim-forgotten)
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = torch.mean(x, dim=-1)
    std = torch.sqrt(torch.var(x, dim=-1, unbiased=False) + eps)
    return gamma * (x - mean) / std + beta


# %% wrong: detached (no-gradient)
def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.detach()
    m, s = d.mean(-1, keepdim=True), torch.sqrt(d.var(-1, unbiased=False, keepdim=True) + eps)
    return gamma * (x - m) / s + beta


# %% wrong: functional (not-allowed)
def layer_norm(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


# %% wrong: in_place (changes-its-input)
def layer_norm(x, gamma, beta, eps=1e-5):
    x -= x.mean(-1, keepdim=True)
    x /= torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
    return x * gamma + beta


# %% wrong: through_a_helper (not-allowed)
def normalise(x, eps):
    return nn.functional.layer_norm(x, x.shape[-1:], eps=eps)


def layer_norm(x, gamma, beta, eps=1e-5):
    return normalise(x, eps) * gamma + beta


# %% wrong: root_taken_too_early (nan-gradient)
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    std = c.square().mean(-1, keepdim=True).sqrt()
    return gamma * c / torch.sqrt(std**2 + eps) + beta
