# misconception: minus-the-wrong-way
slide_distance = "c"
