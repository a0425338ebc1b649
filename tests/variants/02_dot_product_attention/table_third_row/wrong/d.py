# misconception: ignores-itself
table_third_row = "d"
