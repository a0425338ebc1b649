# misconception: counts-one-head
slide_speed = "b"
