# %% right: loop_with_slices
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    logits = model(images)
    answer = logits.argmax(-1)
    rows = torch.arange(B)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            hidden = images.clone()
            hidden[..., i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = logits[rows, answer] - model(hidden)[rows, answer]
    return out


# %% right: through_patchify
@torch.no_grad()
def occlusion_map(model, images, patch, fill=0.0):
    height, width = images.shape[-2:]
    patches = patchify(images, patch)
    best, which = model(images).max(dim=1)
    drops = []
    for n in range(patches.shape[1]):
        holes = patches.clone()
        holes[:, n] = fill
        after = model(unpatchify(holes, patch, height, width))
        drops.append(best - torch.take_along_dim(after, which[:, None], 1).squeeze(1))
    return torch.stack(drops, -1).reshape(-1, height // patch, width // patch)


# %% right: one_image_at_a_time
def occlusion_map(model, images, patch, fill=0.0):
    maps = []
    for image in images:
        logits = model(image[None])[0]
        k = int(logits.argmax())
        rows = []
        for top in range(0, image.shape[1], patch):
            row = []
            for left in range(0, image.shape[2], patch):
                copy = image.clone()
                copy[:, top : top + patch, left : left + patch] = fill
                row.append(logits[k] - model(copy[None])[0, k])
            rows.append(torch.stack(row))
        maps.append(torch.stack(rows))
    return torch.stack(maps)


# %% right: all_holes_in_one_batch
def occlusion_map(model, images, patch, fill=0.0):
    b, c, h, w = images.shape
    rows, columns = h // patch, w // patch
    count = rows * columns
    grid = torch.arange(count).reshape(rows, columns)
    number = grid.repeat_interleave(patch, 0).repeat_interleave(patch, 1)
    hole = number == torch.arange(count)[:, None, None]
    many = torch.where(hole[None, :, None], torch.tensor(float(fill)), images[:, None])
    after = model(many.flatten(0, 1)).unflatten(0, (b, count))
    before = model(images)
    k = before.argmax(-1)
    kept = F.one_hot(k, before.shape[-1]).to(before.dtype)
    drop = torch.einsum("bc,bc->b", before, kept)[:, None] - torch.einsum("bnc,bc->bn", after, kept)
    return drop.reshape(b, rows, columns)


# %% right: mask_by_kron
def occlusion_map(model, images, patch, fill=0.0):
    rows, columns = images.shape[-2] // patch, images.shape[-1] // patch
    answers = model(images).argmax(1, keepdim=True)
    before = model(images).gather(1, answers)
    result = before.new_empty(len(images), rows, columns)
    for i in range(rows):
        for j in range(columns):
            one = torch.zeros(rows, columns)
            one[i, j] = 1
            mask = torch.kron(one, torch.ones(patch, patch))
            filled = images * (1 - mask) + fill * mask
            result[:, i, j] = (before - model(filled).gather(1, answers)).squeeze(1)
    return result


# %% right: einops
def occlusion_map(model, images, patch, fill=0.0):
    cut = einops.rearrange(images, "b c (i p) (j q) -> b i j c p q", p=patch, q=patch)
    rows, columns = cut.shape[1:3]
    first = model(images)
    answers = first.max(-1).indices
    drops = torch.empty(len(images), rows, columns)
    for i in range(rows):
        for j in range(columns):
            changed = cut.clone()
            changed[:, i, j] = fill
            logits = model(einops.rearrange(changed, "b i j c p q -> b c (i p) (j q)"))
            for n, k in enumerate(answers):
                drops[n, i, j] = first[n, k] - logits[n, k]
    return drops


# %% wrong: highest_after (highest-logit-afterwards)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    before = model(images).max(-1).values
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before - model(x).max(-1).values
    return out


# %% wrong: class_after (class-of-the-filled-image)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    before = model(images)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            after = model(x)
            k = after.argmax(-1, keepdim=True)
            out[:, i, j] = (before.gather(1, k) - after.gather(1, k))[:, 0]
    return out


# %% wrong: after_minus_before (sign-reversed)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = model(x)[r, k] - before[r, k]
    return out


# %% wrong: softmaxed (probabilities)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images).softmax(-1)
    k = before.argmax(-1)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before[r, k] - model(x).softmax(-1)[r, k]
    return out


# %% wrong: one_copy_for_all (holes-stay)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    x = images.clone()
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before[r, k] - model(x)[r, k]
    return out


# %% wrong: images_changed (no name)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            images[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before[r, k] - model(images)[r, k]
    return out


# %% wrong: zeros (fill-ignored)
def occlusion_map(model, images, patch, fill=0.0):
    patches = patchify(images, patch)
    height, width = images.shape[-2:]
    best, which = model(images).max(-1)
    drops = []
    for n in range(patches.shape[1]):
        keep = (torch.arange(patches.shape[1]) != n)[:, None]
        after = model(unpatchify(patches * keep, patch, height, width))
        drops.append(best - after[torch.arange(len(images)), which])
    return torch.stack(drops, 1).reshape(len(images), height // patch, width // patch)


# %% wrong: first_channel (one-channel)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, 0, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before[r, k] - model(x)[r, k]
    return out


# %% wrong: every_class (no name)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    before = model(images)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = (before - model(x)).sum(-1)
    return out


# %% wrong: not_reshaped (flat)
def occlusion_map(model, images, patch, fill=0.0):
    patches = patchify(images, patch)
    height, width = images.shape[-2:]
    best, which = model(images).max(-1)
    drops = []
    for n in range(patches.shape[1]):
        holes = patches.clone()
        holes[:, n] = fill
        after = model(unpatchify(holes, patch, height, width))
        drops.append(best - after.gather(1, which[:, None])[:, 0])
    return torch.stack(drops, 1)


# %% wrong: column_by_column (no name)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    drops = []
    for j in range(W // patch):
        for i in range(H // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            drops.append(before[r, k] - model(x)[r, k])
    return torch.stack(drops, 1).reshape(B, H // patch, W // patch)


# %% wrong: columns_as_rows (transposed)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    out = torch.zeros(B, W // patch, H // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, j, i] = before[r, k] - model(x)[r, k]
    return out


# %% wrong: only_positive (no-negative-drops)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    r = torch.arange(B)
    before = model(images)
    k = before.argmax(-1)
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = F.relu(before[r, k] - model(x)[r, k])
    return out


# %% wrong: the_first_answer_for_all (one-class-for-all)
def occlusion_map(model, images, patch, fill=0.0):
    B, C, H, W = images.shape
    before = model(images)
    k = before[0].argmax()
    out = torch.zeros(B, H // patch, W // patch)
    for i in range(H // patch):
        for j in range(W // patch):
            x = images.clone()
            x[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = fill
            out[:, i, j] = before[:, k] - model(x)[:, k]
    return out
