# misconception: sum-is-the-mistake
slide_position_table = "c"
