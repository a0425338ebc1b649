# misconception: self-means-hard
slide_self = "d"
