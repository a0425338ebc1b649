# misconception: local-has-no-gradient
slide_soft_hard = "c"
