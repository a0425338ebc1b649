slide_two_bugs = "d"
