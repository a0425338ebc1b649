# misconception: reads-the-column
table_third_row = "a"
