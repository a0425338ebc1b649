# misconception: score-taken-for-weight
slide_zero_score = "a"
