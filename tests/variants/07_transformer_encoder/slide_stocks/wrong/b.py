# misconception: trusts-the-plot
slide_stocks = "b"
