# attack: returns text that is not Unicode
def softmax(scores, dim=-1):
    print("\ud800")
    return "\ud800\udfff"
