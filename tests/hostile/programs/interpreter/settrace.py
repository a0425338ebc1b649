# attack: a trace function changes what functions return
import sys
def trace(frame, event, arg):
    if event == "return" and "judge" in frame.f_code.co_filename:
        frame.f_locals["points"] = 3.0
    return trace
sys.settrace(trace)
