slide_distance = "b"
