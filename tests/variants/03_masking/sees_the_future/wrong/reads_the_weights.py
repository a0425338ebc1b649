# misconception: not-allowed
def sees_the_future(layer, x):
    return bool((layer.time.triu(1) != 0).any())
