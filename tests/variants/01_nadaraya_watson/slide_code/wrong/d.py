# misconception: axis-of-a-vector
slide_code = "d"
