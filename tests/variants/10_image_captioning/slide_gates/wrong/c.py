# misconception: gates-are-tanh
slide_gates = "c"
