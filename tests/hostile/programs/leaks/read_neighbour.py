# attack: reads another student's work
# limit: maybe
def look(path):
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error.strerror)

import glob
for path in glob.glob("@COURSE@/submitted/*/*/*") + glob.glob("../*/*") + ["@COURSE@/submitted/honest-3/01_nadaraya_watson/01_nadaraya_watson.ipynb"]:
    look(path)
