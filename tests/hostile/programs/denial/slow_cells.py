# attack: many cells' worth of time in one submission
import time
def softmax(scores, dim=-1):
    time.sleep(0.1)
    return scores
