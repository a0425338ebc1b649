# misconception: not-renormalised
slide_zero_score = "d"
