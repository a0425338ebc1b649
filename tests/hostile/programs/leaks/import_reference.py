# attack: imports the reference code of this unit
try:
    from course_utils.nadaraya_watson import softmax
except ImportError as error:
    print("REFUSED", error)
    def softmax(scores, dim=-1):
        return scores
