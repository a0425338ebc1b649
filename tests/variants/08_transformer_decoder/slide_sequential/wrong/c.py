# misconception: parallel-in-translating
slide_sequential = "c"
