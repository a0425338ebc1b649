def unpatchify(patches, patch, height, width):
    return F.fold(patches.transpose(1, 2), output_size=(height, width), kernel_size=patch, stride=patch)
