# misconception: empty-row-nan
def masked_softmax(scores, mask):
    return torch.softmax(torch.where(mask, scores, -torch.inf), dim=-1)
