# misconception: integers-are-fine
slide_code = "a"
