# misconception: mask-only-when-generating
slide_only_before = "d"
