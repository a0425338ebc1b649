# misconception: unchecked
def patchify(images, patch):
    b, c, h, w = images.shape
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    out = torch.einsum("bcrpsq->brscpq", out)
    return out.reshape(b, -1, c * patch * patch)
