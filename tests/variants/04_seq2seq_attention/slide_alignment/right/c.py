slide_alignment = "c"
