# misconception: invariant-for-equivariant
slide_insensitive = "a"
