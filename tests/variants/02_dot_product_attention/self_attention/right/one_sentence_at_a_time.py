def self_attention(x, w_q, w_k, w_v):
    outs, ws = [], []
    for sentence in x:
        q, k, v = sentence @ w_q, sentence @ w_k, sentence @ w_v
        w = torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=1)
        outs.append(w @ v)
        ws.append(w)
    return torch.stack(outs), torch.stack(ws)
