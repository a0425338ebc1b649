# attack: ends the test by GeneratorExit
# limit: crash
def softmax(scores, dim=-1):
    raise GeneratorExit
