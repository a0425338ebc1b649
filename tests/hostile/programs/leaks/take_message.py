# attack: looks for what another student left
import builtins, glob, os, sys, torch
print("TAKEN", getattr(builtins, "MESSAGE", None), getattr(torch, "MESSAGE", None), getattr(sys, "MESSAGE", None), os.environ.get("MESSAGE"))
for folder in ("/tmp", "/dev/shm", "/var/tmp", ".", os.path.expanduser("~"), "/course", os.path.dirname(torch.__file__)):
    for path in glob.glob(folder + "/message*"):
        print("TAKEN", open(path).read())
