slide_order = "b"
