# misconception: miscounts-the-third
slide_distance = "a"
