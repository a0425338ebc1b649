"""What students import: reference code, exercises, data, plotting and `check`."""

from course_utils.check import check, ready, summary

__version__ = "1.1.0"
__all__ = ["check", "ready", "summary"]
