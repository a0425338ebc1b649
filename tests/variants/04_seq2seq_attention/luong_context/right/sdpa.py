def luong_context(state, memory, mask):
    weights = masked_softmax((memory * state[:, None]).sum(-1), mask)
    query = state[:, None] * state.shape[-1] ** 0.5  # undo the scale of torch's own
    context = F.scaled_dot_product_attention(query, memory, memory, attn_mask=mask[:, None])[:, 0]
    return torch.where(mask.any(1, keepdim=True), context, 0.0), weights
