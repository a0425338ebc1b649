# misconception: expects-an-error
slide_two_booleans = "b"
