slide_position_table = "d"
