# misconception: first-bug-only
slide_position_table = "a"
