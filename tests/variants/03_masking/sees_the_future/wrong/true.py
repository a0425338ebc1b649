# misconception: always-true
def sees_the_future(layer, x):
    return True
