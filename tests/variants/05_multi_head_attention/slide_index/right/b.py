slide_index = "b"
