# attack: many cells' worth of time in one submission
# level: 0
import time
def softmax(scores, dim=-1):
    time.sleep(0.1)
    return scores
