# misconception: trusts-the-slide
slide_units = "a"
