# misconception: wants-convolution
slide_feed_forward = "b"
