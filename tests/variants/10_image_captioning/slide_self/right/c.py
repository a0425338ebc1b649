slide_self = "c"
