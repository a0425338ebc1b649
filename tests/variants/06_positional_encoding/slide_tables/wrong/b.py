# misconception: cheaper-and-better
slide_tables = "b"
