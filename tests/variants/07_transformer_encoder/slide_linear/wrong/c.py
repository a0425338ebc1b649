# misconception: blames-the-softmax-alone
slide_linear = "c"
