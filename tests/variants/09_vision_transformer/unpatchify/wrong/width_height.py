# misconception: height-and-width-swapped
def unpatchify(patches, patch, height, width):
    return F.fold(patches.transpose(1, 2), output_size=(width, height), kernel_size=patch, stride=patch)
