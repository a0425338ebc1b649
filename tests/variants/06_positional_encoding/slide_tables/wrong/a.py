# misconception: best-in-both
slide_tables = "a"
