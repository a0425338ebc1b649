from course_utils.dot_product_attention import additive_scores

def soft_attention(regions, state, w_r, w_s, v):
    weights = additive_scores(state[:, None], regions, w_s, w_r, v).softmax(-1)
    return (weights @ regions)[:, 0], weights[:, 0]
