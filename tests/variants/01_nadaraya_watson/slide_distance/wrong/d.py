# misconception: zero-breaks-the-sum
slide_distance = "d"
