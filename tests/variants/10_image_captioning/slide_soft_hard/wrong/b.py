# misconception: pairs-swapped
slide_soft_hard = "b"
