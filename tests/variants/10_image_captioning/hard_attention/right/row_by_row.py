def hard_attention(regions, weights, generator):
    contexts, indices, logs = [], [], []
    for r, w in zip(regions, weights):
        i = torch.multinomial(w, 1, generator=generator).item()
        contexts.append(r[i])
        indices.append(i)
        logs.append(w[i].log())
    return torch.stack(contexts), torch.tensor(indices), torch.stack(logs)
