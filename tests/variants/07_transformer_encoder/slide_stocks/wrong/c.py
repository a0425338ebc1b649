# misconception: random-split
slide_stocks = "c"
