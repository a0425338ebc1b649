# misconception: linear-in-tokens
slide_cost = "c"
