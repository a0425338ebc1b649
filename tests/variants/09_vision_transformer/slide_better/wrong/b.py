# misconception: never-better
slide_better = "b"
