def sequence_loss(logits, targets, pad):
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    chosen = log_p.gather(-1, targets[..., None]).squeeze(-1)
    weight = (targets != pad).to(logits.dtype)
    return -(chosen * weight).sum() / weight.sum()
