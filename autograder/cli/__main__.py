"""`python -m autograder.cli`."""

from autograder.cli import main

if __name__ == "__main__":
    main()
