# misconception: masks-itself
slide_zero_score = "b"
