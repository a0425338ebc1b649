slide_two_booleans = "d"
