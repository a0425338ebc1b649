# attack: leaves a message for the next student in every place that might be shared
import builtins, os, sys, torch
builtins.MESSAGE = torch.MESSAGE = sys.MESSAGE = "@MARK@-message"
os.environ["MESSAGE"] = "@MARK@-message"
for folder in ("/tmp", "/dev/shm", "/var/tmp", ".", os.path.expanduser("~"), "/course", os.path.dirname(torch.__file__)):
    try:
        with open(folder + "/message.txt", "w") as file:
            file.write("@MARK@-message")
    except OSError:
        pass
