def softmax(scores, dim=-1):
    rows = scores.movedim(dim, -1)
    shape = rows.shape
    done = []
    for row in rows.reshape(-1, shape[-1]):
        e = torch.exp(row - row.max())
        done.append(e / e.sum())
    return torch.stack(done).reshape(shape).movedim(-1, dim)
