# misconception: extra-axis
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None]).unsqueeze(1)
