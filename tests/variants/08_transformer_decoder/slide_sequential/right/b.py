slide_sequential = "b"
