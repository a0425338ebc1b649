"""The walls in every surrounding in which a grader may be started."""
