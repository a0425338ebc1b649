# attack: makes files without end
# level: 3
try:
    for number in range(20_000):
        open(f"/tmp/file{number}", "w").close()
except OSError as error:
    print("STOPPED", error)
