slide_zero_score = "c"
