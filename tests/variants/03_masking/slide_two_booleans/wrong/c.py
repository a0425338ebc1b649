# misconception: hint-taken-for-switch
slide_two_booleans = "c"
