"""Submissions that attack the grader, each with the verdict that it must get."""
