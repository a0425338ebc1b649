# misconception: invariant-tokens
slide_order = "a"
