# misconception: trusts-the-count
slide_two_bugs = "a"
