# misconception: fears-overflow
slide_drop_tanh = "b"
