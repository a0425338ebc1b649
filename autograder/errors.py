"""Errors that a person can do something about: the command line shows their text alone, and exits
with 2.
"""


class UserError(Exception):
    """Wrong use, or something missing; the message is one line and says what to do."""


class NothingGraded(UserError):
    """There is nobody yet about whom anything could be written or exported."""
