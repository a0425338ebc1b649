slide_pieces = "c"
