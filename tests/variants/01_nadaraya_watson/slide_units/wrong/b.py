# misconception: tie-everywhere
slide_units = "b"
