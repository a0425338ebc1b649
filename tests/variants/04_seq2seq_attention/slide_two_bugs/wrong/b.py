# misconception: only-the-reshape
slide_two_bugs = "b"
