# misconception: expects-an-error
slide_two_bugs = "c"
