# misconception: -
def from_torch(mha):
    def attend(query, key, value, mask=None):
        blocked = None if mask is None else ~mask
        return mha(query, key, value, attn_mask=blocked, average_attn_weights=False)
    return attend
