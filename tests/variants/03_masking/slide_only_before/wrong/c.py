# misconception: decoder-taken-for-encoder
slide_only_before = "c"
