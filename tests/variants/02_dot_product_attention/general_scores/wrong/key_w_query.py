# misconception: roles-swapped
def general_scores(query, key, w):
    return key.matmul(w).matmul(query.transpose(-2, -1))
