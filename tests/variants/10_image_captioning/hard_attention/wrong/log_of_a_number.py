# misconception: no-gradient
def hard_attention(regions, weights, generator):
    contexts, indices, logs = [], [], []
    for region, weight in zip(regions, weights):
        i = torch.multinomial(weight, 1, generator=generator).item()
        contexts.append(region[i])
        indices.append(i)
        logs.append(math.log(weight[i]))
    return torch.stack(contexts), torch.tensor(indices), torch.tensor(logs)
