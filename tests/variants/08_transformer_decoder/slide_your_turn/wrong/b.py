# misconception: self-instead-of-cross
slide_your_turn = "b"
