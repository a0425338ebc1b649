# misconception: mask-always-there
slide_insensitive = "d"
