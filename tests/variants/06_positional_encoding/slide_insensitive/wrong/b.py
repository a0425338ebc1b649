# misconception: rows-know-their-number
slide_insensitive = "b"
