# misconception: fold-not-transposed
def unpatchify(patches, patch, height, width):
    return nn.Fold((height, width), patch, stride=patch)(patches)
