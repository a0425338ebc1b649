# attack: writes into the autograded folder
for path in ("@COURSE@/autograded/@STUDENT@/01_nadaraya_watson/01_nadaraya_watson.ipynb", "@COURSE@/PWNED", "@COURSE@/submitted/honest-1/01_nadaraya_watson/01_nadaraya_watson.ipynb"):
    try:
        open(path, "w").write("{}")
        print("WROTE", path)
    except OSError as error:
        print("REFUSED", error)
