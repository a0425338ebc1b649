# misconception: returned-torchs-own
def from_torch(mha):
    return mha
