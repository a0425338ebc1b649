# misconception: heads-cost-more
slide_speed = "c"
