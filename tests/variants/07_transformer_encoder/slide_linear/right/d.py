slide_linear = "d"
