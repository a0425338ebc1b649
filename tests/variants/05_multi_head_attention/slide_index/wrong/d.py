# misconception: trusts-the-slide
slide_index = "d"
