slide_only_before = "b"
