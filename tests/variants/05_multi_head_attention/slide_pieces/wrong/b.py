# misconception: overlapping-pieces
slide_pieces = "b"
