# misconception: per-feature
slide_layer_norm = "c"
