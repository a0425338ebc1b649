# misconception: layout-is-the-mistake
slide_frequencies = "b"
