# attack: raises the constants of all frames as an error
import sys
def softmax(scores, dim=-1):
    frame, text = sys._getframe(), ""
    while frame is not None:
        text += repr(frame.f_code.co_consts) + repr(sorted(frame.f_locals))
        frame = frame.f_back
    raise ValueError(text[-2000:])
