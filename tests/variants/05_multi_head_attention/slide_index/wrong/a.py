# misconception: shared-query
slide_index = "a"
