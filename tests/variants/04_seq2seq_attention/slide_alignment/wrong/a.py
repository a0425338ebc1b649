# misconception: trusts-the-slide
slide_alignment = "a"
