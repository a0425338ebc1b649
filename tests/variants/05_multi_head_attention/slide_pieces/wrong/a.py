# misconception: trusts-the-slide
slide_pieces = "a"
