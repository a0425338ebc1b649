# misconception: trusts-the-slide
slide_linear = "a"
