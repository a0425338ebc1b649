"""Grades submissions: prepare, judge and record are trusted, what runs behind the walls is not."""
