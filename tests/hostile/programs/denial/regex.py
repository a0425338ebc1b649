# attack: a regular expression that never ends
# level: 0
# limit: maybe
import re
def softmax(scores, dim=-1):
    return re.match(r"(a+)+$", "a" * 40 + "b")
