def masked_mean(x, mask):
    w = mask.float()
    w = w / w.sum(1, keepdim=True).clamp_min(1.0)
    return torch.bmm(w.unsqueeze(1), x).squeeze(1)
