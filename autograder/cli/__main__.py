"""`python -m autograder.cli`."""

from autograder.cli import program

if __name__ == "__main__":
    program()
