# misconception: inputs-wrong
slide_gates = "a"
