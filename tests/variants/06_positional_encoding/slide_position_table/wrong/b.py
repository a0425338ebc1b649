# misconception: second-bug-only
slide_position_table = "b"
