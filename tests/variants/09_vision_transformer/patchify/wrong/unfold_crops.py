# misconception: crops-silently
def patchify(images, patch):
    return F.unfold(images, patch, stride=patch).mT
