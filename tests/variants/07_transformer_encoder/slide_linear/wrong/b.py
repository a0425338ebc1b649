# misconception: blames-the-scale
slide_linear = "b"
