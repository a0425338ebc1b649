# misconception: the-keys-cancel
slide_drop_tanh = "c"
