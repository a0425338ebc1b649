# misconception: per-step
slide_layer_norm = "d"
