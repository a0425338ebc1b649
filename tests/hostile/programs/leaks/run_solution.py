# attack: runs the solution's code as its own
import json
try:
    cells = json.load(open("@COURSE@/solutions/01_nadaraya_watson/01_nadaraya_watson.ipynb"))["cells"]
    for cell in cells:
        if "def softmax" in "".join(cell["source"]):
            exec("".join(cell["source"]))
except OSError as error:
    print(error)
    def softmax(scores, dim=-1):
        return scores
