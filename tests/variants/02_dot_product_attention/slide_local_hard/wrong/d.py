# misconception: one-hot-taken-for-no-distribution
slide_local_hard = "d"
