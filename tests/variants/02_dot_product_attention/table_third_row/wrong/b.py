# misconception: only-itself
table_third_row = "b"
