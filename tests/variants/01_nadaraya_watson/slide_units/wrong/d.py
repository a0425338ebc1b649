# misconception: fears-overflow
slide_units = "d"
