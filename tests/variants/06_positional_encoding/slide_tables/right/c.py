slide_tables = "c"
