# misconception: raw-similarities
slide_your_turn = "a"
