table_third_row = "c"
