slide_cost = "d"
