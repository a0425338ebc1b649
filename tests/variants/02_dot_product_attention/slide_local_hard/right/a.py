slide_local_hard = "a"
