# misconception: source-asks
slide_who_asks = "c"
