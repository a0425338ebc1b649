# misconception: off-diagonal-is-noise
slide_alignment = "d"
