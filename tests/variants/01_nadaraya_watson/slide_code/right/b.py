slide_code = "b"
