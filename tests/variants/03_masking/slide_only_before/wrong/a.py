# misconception: fears-its-own-input
slide_only_before = "a"
