# misconception: sequential-in-training
slide_sequential = "a"
