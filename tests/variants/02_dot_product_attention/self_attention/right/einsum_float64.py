def self_attention(x, w_q, w_k, w_v):
    x64 = x.double()
    q = torch.einsum("btd,dk->btk", x64, w_q.double())
    k = torch.einsum("btd,dk->btk", x64, w_k.double())
    v = torch.einsum("btd,dk->btk", x64, w_v.double())
    w = (torch.einsum("btk,bsk->bts", q, k) / k.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bts,bsv->btv", w, v).float(), w.float()
