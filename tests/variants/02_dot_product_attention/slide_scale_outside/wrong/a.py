# misconception: softmax-taken-for-linear
slide_scale_outside = "a"
