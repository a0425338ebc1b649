# misconception: additive-mask
def causal_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length)
