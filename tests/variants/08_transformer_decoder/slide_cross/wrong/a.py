# misconception: layer-by-layer
slide_cross = "a"
