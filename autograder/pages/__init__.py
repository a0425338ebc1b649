"""Pages for people: one per student (feedback.py), one for the class (report.py).

Self-contained, no network, nothing of a submission can run.
"""
