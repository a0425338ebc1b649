# misconception: global-is-better
slide_better = "a"
