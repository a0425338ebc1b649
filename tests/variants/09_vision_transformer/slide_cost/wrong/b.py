# misconception: one-direction
slide_cost = "b"
