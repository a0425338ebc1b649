# misconception: multiplies-by-the-scale
slide_scale_outside = "c"
