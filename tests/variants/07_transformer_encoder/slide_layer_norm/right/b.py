slide_layer_norm = "b"
