"""What students import: reference code, exercises, data, plotting and `check`."""

from course_utils.check import check, summary

__version__ = "1.0.0"
__all__ = ["check", "summary"]
