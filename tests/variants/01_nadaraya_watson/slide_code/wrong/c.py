# misconception: minus-before-square
slide_code = "c"
