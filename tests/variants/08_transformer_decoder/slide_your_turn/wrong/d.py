# misconception: softmax-over-queries
slide_your_turn = "d"
