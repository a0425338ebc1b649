# misconception: pixels-count
slide_cost = "a"
