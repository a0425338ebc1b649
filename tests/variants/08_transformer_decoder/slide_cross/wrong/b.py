# misconception: value-is-key
slide_cross = "b"
