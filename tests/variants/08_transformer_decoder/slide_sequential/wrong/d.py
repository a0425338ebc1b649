# misconception: the-wrong-way-round
slide_sequential = "d"
