# misconception: different-speeds
slide_frequencies = "d"
