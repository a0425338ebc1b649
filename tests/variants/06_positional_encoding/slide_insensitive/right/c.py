slide_insensitive = "c"
