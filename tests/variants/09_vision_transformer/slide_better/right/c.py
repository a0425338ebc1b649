slide_better = "c"
