# misconception: summed-over-heads
slide_index = "c"
