# attack: a right answer for the test, replaced while it runs
calls = 0
def softmax(scores, dim=-1):
    global calls
    calls += 1
    return scores * calls
