slide_soft_hard = "d"
