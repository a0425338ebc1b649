# misconception: scaled-by-the-number-of-keys
slide_scale_outside = "d"
