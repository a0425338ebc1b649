"""The project: everything in it is graded by hand, so it has no exercises; its data and models are
in course_utils/project.py."""

from course_utils.judging.exercise import Unit

UNIT = Unit("11_project", "The project", ())
