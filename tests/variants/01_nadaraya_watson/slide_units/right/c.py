slide_units = "c"
