# misconception: averaged-heads
slide_pieces = "d"
