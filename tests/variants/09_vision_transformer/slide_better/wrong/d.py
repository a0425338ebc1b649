# misconception: size-decides
slide_better = "d"
