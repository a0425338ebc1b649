# misconception: repeated-in-step
def additive_scores(query, key, w_q, w_k, v):
    *lead, t, _ = query.shape
    s = key.shape[-2]
    one = [1] * len(lead)
    q = query.repeat(*one, s, 1)
    k = key.repeat(*one, t, 1)
    return (torch.tanh(q @ w_q + k @ w_k) @ v).view(*lead, t, s)
