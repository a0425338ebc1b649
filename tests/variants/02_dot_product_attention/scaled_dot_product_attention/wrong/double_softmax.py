# misconception: softmax-twice
def scaled_dot_product_attention(query, key, value):
    attn = F.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    attn = attn.softmax(dim=-1)
    return attn @ value, attn
