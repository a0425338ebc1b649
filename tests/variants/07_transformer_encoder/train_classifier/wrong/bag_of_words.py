# misconception: order-ignored
def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    bag = nn.EmbeddingBag(int(tokens.max()) + 1, 32, padding_idx=pad)
    model = nn.Sequential(bag, nn.ReLU(), nn.Linear(32, classes))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(200):
        loss = F.cross_entropy(model(tokens), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()
