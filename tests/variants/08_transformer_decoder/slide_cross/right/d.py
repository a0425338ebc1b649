slide_cross = "d"
