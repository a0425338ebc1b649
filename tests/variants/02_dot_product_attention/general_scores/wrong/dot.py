# misconception: w-ignored
def general_scores(query, key, w):
    return query @ key.transpose(-2, -1)
