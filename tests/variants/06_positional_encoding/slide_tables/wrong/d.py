# misconception: always-better
slide_tables = "d"
