# misconception: trusts-the-slide
slide_who_asks = "a"
