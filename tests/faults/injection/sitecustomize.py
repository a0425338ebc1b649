"""Loaded by every interpreter that a fault test starts with this folder on its path.

Makes workers die, hang or differ.

FAULTS is a list such as `kill:eve,hang:hal,version`: the process that grades eve kills itself,
that of hal never answers, and this installation says that it has another version of the course.
"""

import importlib.abc
import importlib.machinery
import os
import signal
import sys
import time

FAULTS = dict(each.partition(":")[::2] for each in os.environ.get("FAULTS", "").split(",") if each)


def spoil(worker):
    real = worker.grade

    def grade(request):
        student = worker.Job.from_bytes(request).student
        if student == FAULTS.get("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        if student == FAULTS.get("hang"):
            time.sleep(3600)
        return real(request)

    worker.grade = grade
    if "version" in FAULTS:
        worker.grader_version = lambda unit: "another"


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "autograder.grading.worker":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            spoil(module)

        spec.loader.exec_module = exec_module
        return spec


if FAULTS:
    sys.meta_path.insert(0, Finder())
