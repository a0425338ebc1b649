"""The levels of walls, in words: what each needs, and what the low ones do not hold."""

LEVELS = (3, 2, 1, 0)
REMEDIES = {  # what a level needs
    3: "level 3 needs Linux with namespaces (root, or user namespaces for ordinary users), "
    "seccomp (the package libseccomp2) and Landlock (kernel 5.13 or newer)",
    2: "level 2 needs Linux with seccomp (the package libseccomp2) and Landlock "
    "(kernel 5.13 or newer)",
    1: "level 1 needs a Unix",
    0: "",
}
NOT_HELD = {
    1: "graded at level 1: the answers could read files of this machine and use its network",
    0: "graded at level 0: nothing kept the answers from files, network and resources "
    "of this machine",
}


def not_held(level: int) -> str:
    """What the walls of a level leave open, in one line; empty for levels 2 and 3."""
    return NOT_HELD.get(level, "")
