# misconception: trusts-correlation
slide_stocks = "d"
