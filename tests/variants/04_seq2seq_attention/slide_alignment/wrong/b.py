# misconception: softmax-picks-one
slide_alignment = "b"
