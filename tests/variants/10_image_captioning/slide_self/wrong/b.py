# misconception: words-among-words
slide_self = "b"
