slide_speed = "d"
