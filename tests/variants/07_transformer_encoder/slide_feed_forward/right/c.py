slide_feed_forward = "c"
