# misconception: source-asks-itself
slide_who_asks = "d"
