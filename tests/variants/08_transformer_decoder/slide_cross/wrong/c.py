# misconception: direction-reversed
slide_cross = "c"
