# attack: ends the process when the answer is called
# level: 0
# limit: crash
import os
def softmax(scores, dim=-1):
    os._exit(0)
