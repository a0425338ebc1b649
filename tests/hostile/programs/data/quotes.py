# attack: returns a text that grows twentyfold when it is escaped for a page
# limit: maybe
def softmax(scores, dim=-1):
    return "'\"<&\\" * 200_000
