# %% wrong: values_in_another_order (values-in-turn)
# repeats the keys head by head but the values as a whole block, so weights and values of
# different groups meet; breaks "the queries of heads 0, 1 and 2 use keys and values 0"
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.shape[1], key.shape[1]
    if H % G != 0:
        raise ValueError("G must divide H")
    key = key.repeat_interleave(H // G, dim=1)
    value = value.repeat(1, H // G, 1, 1)
    return masked_attention(query, key, value, mask)

# %% wrong: mask_with_four_axes_for_five (no name)
# gives the queries an axis for the groups but applies the mask as it came, whose axes (B, H, T,
# S) no longer fit; breaks "The mask ... is broadcastable to `(B, H, T, S)`"
def grouped_query_attention(query, key, value, mask=None):
    B, H, T, d = query.shape
    G, S = key.shape[1], key.shape[2]
    if H % G:
        raise ValueError(f"{G} groups do not divide {H} heads")
    q = query.reshape(B, G, H // G, T, d)
    scores = q @ key.unsqueeze(2).mT / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ value.unsqueeze(2)
    return output.reshape(B, H, T, d), weights.reshape(B, H, T, S)

# %% wrong: leftover_heads_join_the_last (uneven-groups)
# gives the heads that are left over to the last group instead of refusing; breaks "If `G` does
# not divide `H`, raise a `ValueError`"
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.shape[1], key.shape[1]
    size = H // G
    group = [min(h // size, G - 1) for h in range(H)]
    return masked_attention(query, key[:, group], value[:, group], mask)

# %% wrong: every_gth_head (groups-in-turn)
# hands the groups out in turn (0, 1, 0, 1, ...) instead of to neighbours; breaks "Neighbours
# share: with H = 6 and G = 2 the queries of heads 0, 1 and 2 use keys and values 0"
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.size(1), key.size(1)
    if H % G != 0:
        raise ValueError
    idx = torch.arange(H) % G
    return masked_attention(query, key[:, idx], value[:, idx], mask)

# %% right: group_by_group
# chunks the query heads and the expanded mask by groups and attends once per group
def grouped_query_attention(query, key, value, mask=None):
    (B, H, T, _), (_, G, S, _) = query.shape, key.shape
    if H % G:
        raise ValueError("the heads cannot be shared out evenly")
    n = H // G
    outs, ws = [], []
    for g, q in enumerate(query.split(n, dim=1)):
        m = None if mask is None else mask.expand(B, H, T, S)[:, g * n : (g + 1) * n]
        o, w = masked_attention(q, key[:, g : g + 1].expand(-1, n, -1, -1), value[:, [g] * n], m)
        outs.append(o)
        ws.append(w)
    return torch.cat(outs, 1), torch.cat(ws, 1)
