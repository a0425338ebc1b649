slide_stocks = "a"
