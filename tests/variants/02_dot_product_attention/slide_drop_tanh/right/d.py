slide_drop_tanh = "d"
