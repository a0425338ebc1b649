# misconception: two-names-for-one
slide_soft_hard = "a"
