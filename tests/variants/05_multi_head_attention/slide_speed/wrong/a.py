# misconception: heads-for-speed
slide_speed = "a"
