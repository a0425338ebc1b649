slide_frequencies = "a"
