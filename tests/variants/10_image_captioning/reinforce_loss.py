# %% right: by_the_mean_of_all
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    # the mean of the others is farther away than the mean of all, by K / (K - 1)
    factor = (losses - losses.mean(1, keepdim=True)).detach() * k / (k - 1)
    return losses.mean() + (factor * log_prob).mean()


# %% right: loops
def reinforce_loss(losses, log_prob):
    total = 0
    B, K = losses.shape
    for b in range(B):
        for k in range(K):
            rest = [losses[b, j].item() for j in range(K) if j != k]
            advantage = losses[b, k].item() - sum(rest) / len(rest)
            total = total + losses[b, k] + advantage * log_prob[b, k]
    return total / (B * K)


# %% right: no_grad
def reinforce_loss(losses, log_prob):
    with torch.no_grad():
        count = losses.size(1)
        mean_of_others = losses @ (1 - torch.eye(count)) / (count - 1)
        advantage = losses - mean_of_others
    return (losses + advantage * log_prob).mean()


# %% right: einsum_and_double
def reinforce_loss(losses, log_prob):
    wide = losses.detach().double()
    k = wide.shape[1]
    advantage = wide - torch.stack(
        [torch.cat([wide[:, :i], wide[:, i + 1 :]], 1).mean(1) for i in range(k)], 1
    )
    pushed = torch.einsum("bk,bk->", advantage.float(), log_prob)
    return (losses.sum() + pushed) / losses.numel()


# %% right: covariance
def reinforce_loss(losses, log_prob):
    fixed = losses.data
    centred = fixed - fixed.mean(dim=1, keepdim=True)
    unbiased = (centred * log_prob).sum(1) / (losses.shape[1] - 1)
    return losses.mean(1).mean() + unbiased.mean()


# %% wrong: plain (no-baseline)
def reinforce_loss(losses, log_prob):
    return (losses + losses.detach() * log_prob).mean()


# %% wrong: mean_of_all (own-draw-included)
def reinforce_loss(losses, log_prob):
    advantage = losses.detach() - losses.detach().mean(-1, keepdim=True)
    return losses.mean() + (advantage * log_prob).mean()


# %% wrong: over_K (divided-by-all)
def reinforce_loss(losses, log_prob):
    baseline = (losses.sum(1)[:, None] - losses) / losses.shape[1]
    return (losses + (losses - baseline).detach() * log_prob).mean()


# %% wrong: over_the_batch (other-pictures)
def reinforce_loss(losses, log_prob):
    advantage = (losses - losses.mean(0)).detach()
    return (losses + advantage * log_prob).mean()


# %% wrong: grand_mean (other-pictures)
def reinforce_loss(losses, log_prob):
    baseline = losses.mean().item()
    return (losses + (losses.detach() - baseline) * log_prob).mean()


# %% wrong: nothing_detached (advantage-not-detached)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return (losses + (losses - baseline) * log_prob).mean()


# %% wrong: only_the_baseline_detached (advantage-not-detached)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = ((losses.sum(1, keepdim=True) - losses) / (k - 1)).detach()
    return (losses + (losses - baseline) * log_prob).mean()


# %% wrong: losses_cut_off (losses-detached)
def reinforce_loss(losses, log_prob):
    losses = losses.detach()
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return (losses + (losses - baseline) * log_prob).mean()


# %% wrong: everything_cut_off (no name)
def reinforce_loss(losses, log_prob):
    losses, log_prob = losses.detach(), log_prob.detach()
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return (losses + (losses - baseline) * log_prob).mean()


# %% wrong: the_draws_alone (only-the-draws)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    advantage = (losses - losses.mean(1, keepdim=True)).detach() * k / (k - 1)
    return (advantage * log_prob).mean()


# %% wrong: minus (sign-reversed)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return (losses - (losses - baseline).detach() * log_prob).mean()


# %% wrong: baseline_minus_loss (sign-reversed)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return (losses + (baseline - losses).detach() * log_prob).mean()


# %% wrong: sums (sum-for-mean)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return torch.sum(losses + (losses - baseline).detach() * log_prob)


# %% wrong: per_draw (not-averaged)
def reinforce_loss(losses, log_prob):
    k = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (k - 1)
    return losses + (losses - baseline).detach() * log_prob


# %% wrong: standardised (divided-by-the-spread)
def reinforce_loss(losses, log_prob):
    fixed = losses.detach()
    advantage = (fixed - fixed.mean(1, keepdim=True)) / fixed.std(1, keepdim=True)
    return (losses + advantage * log_prob).mean()


# %% wrong: the_best_draw (best-of-the-draws)
def reinforce_loss(losses, log_prob):
    advantage = (losses - losses.min(1, keepdim=True).values).detach()
    return (losses + advantage * log_prob).mean()
