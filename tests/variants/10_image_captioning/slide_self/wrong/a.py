# misconception: picture-asks-itself
slide_self = "a"
