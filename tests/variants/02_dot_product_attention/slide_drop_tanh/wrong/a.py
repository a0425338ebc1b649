# misconception: sum-taken-for-a-product
slide_drop_tanh = "a"
