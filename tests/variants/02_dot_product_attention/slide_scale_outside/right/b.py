slide_scale_outside = "b"
