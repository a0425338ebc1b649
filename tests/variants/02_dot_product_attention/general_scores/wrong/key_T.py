# misconception: transposes-every-axis
import warnings


def general_scores(query, key, w):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return query @ w @ key.T
