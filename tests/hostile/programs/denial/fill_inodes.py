# attack: makes files without end
try:
    for number in range(10**6):
        open(f"/tmp/file{number}", "w").close()
except OSError as error:
    print("STOPPED", error)
