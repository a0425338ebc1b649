# misconception: swapped-results
def self_attention(x, w_q, w_k, w_v):
    output, weights = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    return weights, output
