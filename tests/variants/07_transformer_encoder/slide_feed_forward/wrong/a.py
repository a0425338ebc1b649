# misconception: trusts-the-slide
slide_feed_forward = "a"
