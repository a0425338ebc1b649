# attack: raises an error with a message of 50 MB
def softmax(scores, dim=-1):
    raise ValueError("<script>alert(1)</script>" * 2_000_000)
