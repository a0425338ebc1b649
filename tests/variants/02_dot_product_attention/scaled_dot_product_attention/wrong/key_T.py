# misconception: transposes-every-axis
import warnings


def scaled_dot_product_attention(query, key, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = query @ key.T / math.sqrt(key.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
