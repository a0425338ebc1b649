# misconception: wants-softmax
slide_feed_forward = "d"
