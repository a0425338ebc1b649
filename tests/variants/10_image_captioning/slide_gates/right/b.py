slide_gates = "b"
