# misconception: uses-the-new-state
slide_gates = "d"
