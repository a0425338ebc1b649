slide_who_asks = "b"
