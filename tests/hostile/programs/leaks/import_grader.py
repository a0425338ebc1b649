# attack: imports the grader itself
import importlib, sys
sys.path[:0] = ["@REPO@", "@COURSE@"]
for name in ("autograder.grading.run", "autograder.course", "autograder.grading.record", "course_utils.exercises", "course_utils.exercises.nadaraya_watson"):
    try:
        print("FOUND", importlib.import_module(name))
    except ImportError as error:
        print("REFUSED", error)
