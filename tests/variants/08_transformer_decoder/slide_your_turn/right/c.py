slide_your_turn = "c"
