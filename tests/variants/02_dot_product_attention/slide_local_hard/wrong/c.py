# misconception: pairs-crossed
slide_local_hard = "c"
