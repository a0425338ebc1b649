# misconception: per-sequence
slide_layer_norm = "a"
