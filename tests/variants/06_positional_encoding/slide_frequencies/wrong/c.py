# misconception: relative-to-the-length
slide_frequencies = "c"
