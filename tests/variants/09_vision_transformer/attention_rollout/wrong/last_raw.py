# misconception: raw-last-layer
def attention_rollout(weights):
    return weights[-1].mean(dim=1)
