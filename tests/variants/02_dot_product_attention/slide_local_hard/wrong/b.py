# misconception: local-taken-for-hard
slide_local_hard = "b"
